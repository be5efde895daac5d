import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatPosition } from '../../../../domain/errors.ts';
import type { Case, Scenario } from '../../../../domain/scenario.ts';
import { targetKinds } from '../../../../drive/targets/index.ts';
import { evaluators } from '../../../../score/evaluators/index.ts';
import { goodConfig, loadConfigs } from '../../../../testing/fakes/load/mcp-server-files.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { type CliToolDefaults, noCliToolDefaults } from '../../scenario-format.ts';

const server = { transport: 'stdio', command: 'node', args: ['server.mjs'] };
const test = { name: 'add', args: {} };
const suite = { name: 'Health', tests: [test] };
const workflow = { name: 'Sum', steps: [{ user: 'Add 1 and 2' }] };
async function load(config: object, defaults: Parameters<typeof loadConfigs>[2] = {}) {
  const folder = await temporaryFolder({ 'server.mjs': '', 'c.json': JSON.stringify(config, null, 2) });
  return loadConfigs(folder, ['c.json'], defaults, { targets: targetKinds, evaluators });
}

async function loadScenarios(config: object, defaults: Parameters<typeof loadConfigs>[2] = {}) {
  const { scenarios, problems } = await load(config, defaults);
  expect(problems).toEqual([]);
  return scenarios;
}

async function onlyCase(scenario: Scenario | undefined): Promise<Case | undefined> {
  for await (const item of scenario?.cases() ?? []) return item;
  return undefined;
}

async function warningsOf(config: object, env: Record<string, string> = {}): Promise<string[]> {
  const { warnings, problems } = await load(config, { mcpServers: { env } });
  expect(problems).toEqual([]);
  return warnings.map(({ at, message }) => `${formatPosition(at)}: ${message}`);
}

describe('a config of an MCP server', () => {
  it('lets one suite or workflow at a time use the server, unless the server remembers nothing', async () => {
    const config = { server, toolHealthSuites: [suite], workflows: [workflow] };
    const [first, second] = await loadScenarios(config);
    expect(first?.shares).toMatch(/^MCP server [0-9a-f]{64}$/);
    expect(second?.shares).toBe(first?.shares);
    const concurrent = await loadScenarios({ ...config, concurrent: true });
    expect(concurrent.map(({ shares }) => shares)).toEqual([undefined, undefined]);
    const [, driven] = await loadScenarios({ ...config, agents: ['opencode'] }, { cliTools: noCliToolDefaults });
    expect(driven?.shares).toBeUndefined();
  });

  it('takes further evaluators for a workflow', async () => {
    const called = { type: 'tool-called', config: { tool: 'add' } };
    const [scenario] = await loadScenarios({ server, workflows: [{ ...workflow, evaluators: [called] }] });
    const types = (await onlyCase(scenario))?.evaluators.map(({ type }) => type);
    expect(types).toEqual(['workflow-success', 'workflow-tool-order', 'workflow-call-health', 'tool-called']);
  });

  it.each([
    [{ type: 'tool-caled', config: { tool: 'add' } }, 'Unknown evaluator type: "tool-caled"'],
    [{ type: 'tool-called', config: {} }, '`evaluators[0].config.tool` is missing'],
    [{ type: 'file_exists', config: { path: 'x' } }, 'needs workspace'],
  ])('reports what is wrong with one: %j', async (evaluator, words) => {
    const { problems } = await load({ server, workflows: [{ ...workflow, evaluators: [evaluator] }] });
    expect(problems.map(({ message }) => message).join('\n')).toContain(words);
    expect(problems[0]?.at.line).toBeGreaterThan(10);
  });

  it('is a scenario for each suite and each workflow', async () => {
    const scenarios = await loadScenarios(goodConfig);
    expect(scenarios.map(({ name, serverPart, target }) => [name, serverPart, target.type])).toEqual([
      ['Health', 'tool', 'mcp-suite'],
      ['Resources', 'resource', 'mcp-suite'],
      ['Prompts', 'prompt', 'mcp-suite'],
      ['Sampling', 'sampling', 'mcp-suite'],
      ['Questions', 'elicitation', 'mcp-suite'],
      ['Login', 'oauth2', 'mcp-suite'],
      ['Sum', 'workflow', 'mcp-workflow'],
    ]);
    expect(scenarios[0]).toMatchObject({ tags: ['mcp', 'fast'], tier: 1, repeat: 2, caseCount: 1, variants: [{}] });
    expect(scenarios.at(-1)).toMatchObject({ tags: ['mcp', 'model'], tier: 2, repeat: 3 });
  });

  it('gives each suite its tests as one case, without what makes it a scenario', async () => {
    const [health] = await loadScenarios(goodConfig);
    const [written] = goodConfig.toolHealthSuites;
    const suiteAlone = { name: 'Health', tests: written?.tests, parallel: true, timeout: 500 };
    const item = await onlyCase(health);
    expect(item?.input).toMatchObject({ kind: 'tool', suite: suiteAlone });
    expect(item?.input).not.toHaveProperty('suite.tags');
    expect(item?.evaluators).toEqual([{ type: 'tool-health', config: {} }]);
    expect(health?.target.config).toMatchObject({ server: { command: 'node' }, timeoutMs: 2_000 });
  });

  it('scores a workflow by three figures, and by the judge when it is wanted', async () => {
    const types = async (config: object, isJudgeForced = false) => {
      const [scenario] = await loadScenarios(config, { isJudgeForced });
      return (await onlyCase(scenario))?.evaluators.map(({ type }) => type);
    };
    const figures = ['workflow-success', 'workflow-tool-order', 'workflow-call-health'];
    expect(await types({ server, workflows: [workflow] })).toEqual(figures);
    expect(await types({ server, workflows: [workflow], llmJudge: true })).toEqual([...figures, 'score-judge']);
    expect(await types({ server, workflows: [workflow] }, true)).toEqual([...figures, 'score-judge']);
  });

  it('informs the judge who it is, by what it passes and what was expected last', async () => {
    const scenario = (await loadScenarios(goodConfig)).at(-1);
    expect(scenario?.judge).toMatchObject({
      models: ['gpt-4o'],
      errors: 'ignore',
      apiKeys: { openai: '${OPENAI_API_KEY}' },
    });
    const item = await onlyCase(scenario);
    expect(item?.evaluators.at(-1)?.config).toMatchObject({ passThreshold: 0.7, maxMessages: 10 });
    expect(item?.expected).toBeUndefined();
    const steps = [
      { user: 'a', expectedState: 'x' },
      { user: 'b', expectedState: 'y' },
    ];
    const [other] = await loadScenarios({ server, workflows: [{ name: 'w', steps }] });
    expect((await onlyCase(other))?.expected).toBe('y');
    expect(other?.judge).toMatchObject({ models: [], usualModel: 'gpt-4o' });
  });

  it('reports tools that no test calls once for the whole file', async () => {
    const other = { name: 'Other', tests: [{ name: 'divide', args: { a: 1, b: 2 } }] };
    const [first, second] = await loadScenarios({ server, toolHealthSuites: [suite, other] });
    const elsewhere = [{ tool: 'divide', args: ['a', 'b'] }];
    expect((await onlyCase(first))?.input).toMatchObject({ coveredElsewhere: elsewhere, reportsCoverage: true });
    expect((await onlyCase(second))?.input).toMatchObject({ reportsCoverage: false });
  });

  it('is read the same from YAML, JSON with comments, JavaScript and TypeScript', async () => {
    const json = JSON.stringify({ server, toolHealthSuites: [suite] });
    const folder = await temporaryFolder({
      'server.mjs': '',
      'a.yaml': stringify({ server, toolHealthSuites: [suite] }),
      'a.jsonc': `// a server\n${json}`,
      'a.mjs': `export default ${json};`,
      'b.mjs': `export default async () => (${json});`,
      'c.mjs': `export default Promise.resolve({ ...${json}, onDone() {}, nothing: undefined });`,
      'a.ts': `interface A { server: unknown }\nconst config: A & object = ${json};\nexport default config;`,
    });
    const hashes = new Set<string>();
    for (const file of ['a.yaml', 'a.jsonc', 'a.mjs', 'b.mjs', 'c.mjs', 'a.ts']) {
      const { scenarios, problems } = await loadConfigs(folder, [file]);
      expect(problems, file).toEqual([]);
      expect(
        scenarios.map(({ name }) => name),
        file,
      ).toEqual(['Health']);
      hashes.add(scenarios[0]?.contentHash ?? '');
    }
    expect(hashes.size).toBe(1);
  });

  it('is not run by looking into a folder', async () => {
    const folder = await temporaryFolder({
      'a.mjs': 'throw new Error("was run")',
      'c.json': JSON.stringify({ server, toolHealthSuites: [suite] }),
    });
    const { scenarios, problems } = await loadConfigs(folder, ['.']);
    expect([scenarios.length, problems]).toEqual([1, []]);
  });

  it('may name a suite and a workflow alike, but not two suites', async () => {
    const alike = { server, toolHealthSuites: [suite], workflows: [{ ...workflow, name: 'Health' }] };
    expect((await loadScenarios(alike)).map(({ name }) => name)).toEqual(['Health', 'Health (workflow)']);
    const { problems } = await load({ server, toolHealthSuites: [suite, suite] });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('duplicate scenario name "Health"'),
    ]);
  });
});

describe('who drives a workflow', () => {
  const variantsOf = async (keys: object, cliTools: Partial<CliToolDefaults> = {}) => {
    const [scenario] = await loadScenarios(
      { server, workflows: [workflow], ...keys },
      { cliTools: { ...noCliToolDefaults, ...cliTools } },
    );
    return { type: scenario?.target.type, variants: scenario?.variants };
  };

  it('is Claude, unless the file or the command line says otherwise', async () => {
    expect((await variantsOf({})).variants).toEqual([{ model: 'anthropic/claude-sonnet-4-5' }]);
    expect((await variantsOf({ model: 'a/b' })).variants).toEqual([{ model: 'a/b' }]);
    expect((await variantsOf({ models: ['a/b', 'c/d', 'a/b'] })).variants).toEqual([
      { model: 'a/b' },
      { model: 'c/d' },
    ]);
    expect((await variantsOf({ model: 'a/b' }, { models: ['x/y'] })).variants).toEqual([{ model: 'x/y' }]);
  });

  it('may be agents, each with each model', async () => {
    expect(await variantsOf({ agents: ['claude', 'codex'], models: ['a/b'] })).toEqual({
      type: 'mcp-agent-workflow',
      variants: [
        { agent: 'claude', model: 'a/b' },
        { agent: 'codex', model: 'a/b' },
      ],
    });
    expect((await variantsOf({ agents: ['claude'] }, { agents: ['pi'] })).variants).toEqual([{ agent: 'pi' }]);
    expect((await variantsOf({}, { agents: ['pi'] })).type).toBe('mcp-agent-workflow');
    const profiles = { both: { agents: ['pi', 'codex'], models: [] } };
    const tools = { pi: { models: [] }, codex: { models: [] } };
    expect((await variantsOf({}, { profile: 'both', profiles, tools })).variants).toEqual([
      { agent: 'pi' },
      { agent: 'codex' },
    ]);
  });

  it('tries other wordings beside that of the server', async () => {
    const wordings = { terse: { add: { description: 'adds' } } };
    const [scenario] = await loadScenarios({ server, workflows: [workflow], model: 'a/b', wordings });
    expect(scenario?.variants).toEqual([
      { model: 'a/b', description: 'original' },
      { model: 'a/b', description: 'terse' },
    ]);
    expect(scenario?.target.config).toMatchObject({ wordings: { original: {}, ...wordings } });
  });

  it('refuses a profile that is not there', async () => {
    const { problems } = await load(
      { server, workflows: [workflow] },
      { cliTools: { ...noCliToolDefaults, profile: 'x' } },
    );
    expect(problems.map(({ message }) => message)).toEqual(["Profile 'x' not found in configuration"]);
  });
});

describe('variables', () => {
  it('are expanded everywhere but where secrets may stand', async () => {
    const env = { USER_NAME: 'Ada', TOKEN: 's3cret-value', URL: 'https://example.com' };
    const [scenario] = await loadScenarios(
      {
        server: { transport: 'shttp', url: '${URL}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
        workflows: [{ name: 'Hi ${USER_NAME}', steps: [{ user: 'I am ${USER_NAME}' }] }],
        openaiKey: '${TOKEN}',
      },
      { mcpServers: { env } },
    );
    expect(scenario?.name).toBe('Hi Ada');
    expect((await onlyCase(scenario))?.input).toMatchObject({ steps: [{ user: 'I am Ada' }] });
    expect(scenario?.target.config).toMatchObject({
      server: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
    });
    expect(JSON.stringify(scenario)).not.toContain(env.TOKEN);
  });

  it('that are not set stay as they are, with a warning at their place', async () => {
    const config = { server, toolHealthSuites: [{ name: 'Hi ${MISSING}', tests: [test] }] };
    expect((await loadScenarios(config))[0]?.name).toBe('Hi ${MISSING}');
    expect(await warningsOf(config)).toEqual([
      'c.json:11:19: the environment variable `MISSING` is not set, so it is not replaced',
    ]);
  });

  it('and secrets are not part of the hash that shows whether a file is still the same', async () => {
    const hashOf = async (key: string, mode: string) =>
      (
        await loadScenarios({
          server: { ...server, env: { API_KEY: key, MODE: mode } },
          toolHealthSuites: [suite],
          openaiKey: key,
        })
      )[0]?.contentHash;
    expect(await hashOf('one-secret', 'a')).toBe(await hashOf('another-secret', 'a'));
    expect(await hashOf('one-secret', 'a')).not.toBe(await hashOf('one-secret', 'b'));
  });
});

describe('a probable mistake', () => {
  const suites = { toolHealthSuites: [suite] };
  const http = (url: string, more: object = {}) => ({ server: { transport: 'sse', url, ...more }, ...suites });

  it.each<[string, object, string]>([
    [
      'http to the open network',
      http('http://example.com/mcp'),
      '4:12: `http` to example.com: keys and answers are not encrypted',
    ],
    [
      'many reconnects',
      http('http://localhost/mcp', { maxReconnectAttempts: 51 }),
      '51 attempts to reconnect delay a run whose server has ended',
    ],
    [
      'a key in a header',
      http('https://x.test', { headers: { Authorization: 'Bearer abc' } }),
      '6:24: the file contains a secret',
    ],
    [
      'a key in the environment',
      { server: { ...server, env: { API_TOKEN: 'abc' } }, ...suites },
      '9:20: the file contains a secret',
    ],
    ['the key of the judge', { server, ...suites, openaiKey: 'sk-1' }, 'the file contains a secret'],
    [
      'a short timeout',
      { server, ...suites, timeout: 30 },
      '`timeout` is in milliseconds: 30 ms is very short for a call',
    ],
    ['a long timeout', { server, ...suites, timeout: 600_000 }, '`timeout` is in milliseconds: a call may take 600 s'],
    ['a low threshold', { server, ...suites, passThreshold: 0.3 }, 'with a `passThreshold` of 0.3 bad results pass'],
    ['a high threshold', { server, ...suites, passThreshold: 1 }, 'with a `passThreshold` of 1 almost nothing passes'],
    ['an unknown key', { server, ...suites, timout: 5 }, 'unknown key `timout` is ignored'],
    [
      'a script that is not there',
      { server: { ...server, args: ['dist/x.js'] }, ...suites },
      '6:7: there is no `dist/x.js` in the folder of the project',
    ],
  ])('is reported: %s', async (_about, config, warning) => {
    const warnings = await warningsOf(config);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it.each([
    ['http to this machine', http('http://localhost:3000/mcp')],
    ['http to the own network', http('http://192.168.1.5/mcp')],
    ['http to a container', http('http://server:3000/mcp')],
    [
      'secrets that are only named',
      { server: { ...server, env: { API_TOKEN: '${T}', MODE: 'x', KEY_FILE: 'a' } }, ...suites, openaiKey: '${K}' },
    ],
    ['programs of packages', { server: { ...server, command: 'npx', args: ['-y', 'my-server.js'] }, ...suites }],
  ])('is not reported: %s', async (_about, config) => {
    expect(await warningsOf(config, { T: 'abc' })).toEqual([]);
  });

  it('is reported for a program that is not on PATH', async () => {
    const config = { server: { ...server, command: 'no-such-program', args: [] }, ...suites };
    expect(await warningsOf(config, { PATH: '/nowhere' })).toEqual([
      'c.json:4:16: there is no program `no-such-program` on PATH',
    ]);
  });
});

describe('where a server starts', () => {
  it('is the folder of the file, or that of the project when its script is only there', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    const inside = await temporaryFolder({ 'evals/c.json': JSON.stringify({ server, toolHealthSuites: [suite] }) });
    await writeFile(join(inside, 'server.mjs'), '');
    await writeFile(join(folder, 'c.json'), JSON.stringify({ server, toolHealthSuites: [suite] }));
    const cwdOf = async (root: string, file: string) => {
      const { scenarios } = await loadConfigs(root, [file]);
      return (scenarios[0]?.target.config as { server: { cwd?: string } } | undefined)?.server.cwd;
    };
    expect(await cwdOf(folder, 'c.json')).toBeUndefined();
    expect(await cwdOf(inside, 'evals/c.json')).toBe('..');
  });
});

describe('the time limit', () => {
  const limitOf = async (keys: object, defaults = {}) =>
    (await loadScenarios({ server, ...keys }, defaults))[0]?.timeoutMs ?? 0;

  it('leaves all tests the time that each of them may take', async () => {
    const many = Array.from({ length: 50 }, () => ({ ...test, retries: 5 }));
    expect(await limitOf({ toolHealthSuites: [{ name: 'a', tests: many, timeout: 10_000 }] })).toBeGreaterThan(
      50 * 6 * 10_000,
    );
    const steps = [{ user: 'a' }, { user: 'b' }];
    expect(await limitOf({ workflows: [{ name: 'w', steps, maxSteps: 10 }] })).toBeGreaterThan(2 * 10 * 120_000);
  });

  it('is what the command line says, where that is less', async () => {
    const keys = { toolHealthSuites: [suite], timeout: 1_000 };
    const own = await limitOf(keys);
    expect(await limitOf(keys, { mostSecs: 7 })).toBe(7_000);
    expect(await limitOf(keys, { mostSecs: 80_000 })).toBe(own);
  });
});
