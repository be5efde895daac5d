import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';
import { storedBytes } from '../../src/testing/support/project-store.ts';

const add = { name: 'add', args: { a: 2, b: 3 }, expectedResult: 5 };
const suite = { name: 'Calculator', description: 'It adds', tests: [add] };

/** The tests of a suite by name, with what became of them. */
async function health(config: object, ...flags: string[]) {
  const folder = await mcpProject({ 'c.json': config });
  const result = await assay(['eval', 'c.json', '--json', ...flags], { cwd: folder });
  const trials = trialsIn(result);
  const states = trials.flatMap(({ toolHealth }) => toolHealth ?? []).map(({ testName, state }) => [testName, state]);
  return { ...result, folder, trials, states: Object.fromEntries(states) };
}

describe('a config of an MCP server', () => {
  it('runs as it is written: scalars, objects, errors, latency and retries', async () => {
    const { states, exitCode, trials } = await health({
      server,
      toolHealthSuites: [
        {
          name: 'All',
          tests: [
            { ...add, description: 'scalar', maxLatency: 5_000 },
            { name: 'greet', description: 'text', args: { name: 'Ada' }, expectedResult: 'hello, ADA' },
            { name: 'divide', description: 'object', args: { a: 6, b: 3 }, expectedResult: { quotient: 2 } },
            { name: 'divide', description: 'error', args: { a: 6, b: 0 }, expectedError: 'divide BY zero' },
            { name: 'nothing', description: 'protocol error', args: {}, expectedError: 'unknown tool' },
            { name: 'unsteady', description: 'retried', args: {}, retries: 3, expectedResult: 'at last' },
            { name: 'add', args: { a: 1, b: 1 } },
          ],
        },
      ],
    });
    expect(states).toEqual({
      scalar: 'pass',
      text: 'pass',
      object: 'pass',
      error: 'pass',
      'protocol error': 'pass',
      retried: 'pass',
      'add test': 'pass',
    });
    expect([exitCode, trials.length]).toEqual([0, 1]);
  });

  it('fails what is not as expected, and says what came instead', async () => {
    const { states, exitCode, trials, folder } = await health({
      server,
      toolHealthSuites: [
        {
          name: 'All',
          tests: [
            { ...add, description: 'wrong', expectedResult: 6 },
            { ...add, description: 'slow', name: 'slow', args: {}, expectedResult: 'done', maxLatency: 0 },
            { name: 'divide', description: 'unexpected error', args: { a: 1, b: 0 } },
            { ...add, description: 'no error', expectedResult: undefined, expectedError: 'nope' },
            { ...add, description: 'right' },
          ],
        },
      ],
    });
    expect(states).toEqual({
      wrong: 'fail',
      slow: 'fail',
      'unexpected error': 'fail',
      'no error': 'fail',
      right: 'pass',
    });
    expect([exitCode, trials[0]?.outcome]).toEqual([1, 'fail']);
    const text = await assay(['show', 'latest'], { cwd: folder });
    expect(text.stdout).toContain('Tool health: All');
    expect(text.stdout).toContain('1 of 5 tests passed');
    expect(text.stdout).toMatch(/✗ wrong: add, [\d.]+ ms\n +.*6.*5/);
    const page = await assay(['show', trials[0]?.trialId ?? ''], { cwd: folder });
    expect(page.stdout).toMatch(/Tool health\n {2}1 of 5 tests passed/);
  });

  it('runs from YAML, JavaScript and TypeScript too', async () => {
    const config = JSON.stringify({ server, toolHealthSuites: [suite] });
    const folder = await mcpProject({
      'c.mjs': `export default ${config};`,
      'c.js': `module.exports = ${config};`,
      'd.js': `export default async () => (${config});`,
      'e.js': `\nexport default { ...nothing, ...${config} };`,
      'c.ts': `type Config = { server: object };\nexport default ${config} satisfies Config;`,
      'c.yaml': config,
      'package.json': '{ "type": "module" }',
    });
    for (const file of ['c.mjs', 'c.js', 'd.js', 'c.ts', 'c.yaml']) {
      const { exitCode, stderr } = await assay(['eval', file], { cwd: folder });
      expect([file, exitCode, stderr]).toEqual([file, 0, '']);
    }
    const broken = await assay(['eval', 'e.js'], { cwd: folder });
    expect(broken).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^e\.js:2:\d+: the file could not be loaded: nothing is not defined\n/),
    });
  });

  it('exits with 3 when the server does not start, and with 2 when the file is wrong', async () => {
    const folder = await mcpProject({
      'gone.json': { server: { ...server, args: ['-e', 'process.exit(4)'] }, toolHealthSuites: [suite] },
      'wrong.json': { server, toolHealthSuites: [{ name: 'a' }] },
      'empty.json': { server, workflows: [], toolHealthSuites: [] },
    });
    const gone = await assay(['eval', 'gone.json', '--json'], { cwd: folder });
    expect(gone.exitCode).toBe(3);
    expect(trialsIn(gone)[0]).toMatchObject({ outcome: 'error', fault: { blame: 'target' } });
    const wrong = await assay(['eval', 'wrong.json'], { cwd: folder });
    expect(wrong).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('wrong.json:10:5: `toolHealthSuites[0].tests` is missing'),
    });
    const empty = await assay(['eval', 'empty.json'], { cwd: folder });
    expect(empty).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Configuration must include workflows or toolHealthSuites'),
    });
  });

  it('keeps the results of tests before and after a crash, which are not judged', async () => {
    const { states, exitCode } = await health({
      server,
      toolHealthSuites: [
        {
          name: 'a',
          tests: [
            { ...add, description: 'before' },
            { name: 'crash', args: {} },
            { ...add, description: 'after' },
          ],
        },
      ],
    });
    expect(states).toEqual({ before: 'pass', 'crash test': 'error', after: 'pass' });
    expect(exitCode).toBe(3);
  });

  it('is checked without being run, with warnings of probable mistakes', async () => {
    const folder = await mcpProject({
      'c.json': {
        server: { ...server, env: { API_KEY: 'abcdefgh' } },
        toolHealthSuites: [suite],
        timeout: 50,
      },
    });
    const { exitCode, stderr, stdout } = await assay(['validate', 'c.json'], { cwd: folder });
    expect([exitCode, stdout]).toEqual([0, '1 scenario with 1 case: no problems, 2 warnings\n']);
    expect(stderr).toContain(
      'warning: c.json:9:18: the file contains a secret: use `${NAME}` and set the variable in the environment',
    );
    expect(stderr).toContain('50 ms is very short for a call');
    expect(stderr).not.toContain('abcdefgh');
  });
});

describe('lists and flags', () => {
  const config = {
    server,
    toolHealthSuites: [suite, { name: 'More', tests: [add, add] }],
    workflows: [
      {
        name: 'Sum',
        description: 'Adds',
        steps: [
          { user: 'a', expectTools: ['add', 'add'] },
          { user: 'b', expectTools: ['add'] },
        ],
      },
    ],
  };

  it('lists names, descriptions, steps, expected tools and the server', async () => {
    const folder = await mcpProject({ 'c.json': config });
    const { stdout } = await assay(['list', 'c.json'], { cwd: folder });
    expect(stdout).toBe(
      [
        'Available scenarios:',
        '  MCP server (stdio): node ./server.mjs',
        '  [smoke] Calculator (1 test) - It adds',
        '  [smoke] More (2 tests)',
        '  [smoke] Sum (2 steps, 3 expected tools) - Adds',
        '',
      ].join('\n'),
    );
    const { stdout: json } = await assay(['list', 'c.json', '--json'], { cwd: folder });
    expect(JSON.parse(json)[2]).toMatchObject({
      name: 'Sum',
      part: 'workflow',
      steps: 2,
      expectedTools: 3,
      server: { transport: 'stdio', label: 'node ./server.mjs' },
    });
  });

  it('runs only what a flag asks for, also when the run is taken up again', async () => {
    const folder = await mcpProject({ 'c.json': config });
    const only = await assay(['eval', 'c.json', '--tool-health-only', '--json'], { cwd: folder });
    expect(trialsIn(only).map(({ scenario }) => scenario)).toEqual(['Calculator', 'More']);
    const again = await assay(['eval', '--resume', 'latest', '--json'], { cwd: folder });
    expect([again.exitCode, trialsIn(again).length]).toEqual([0, 2]);
    const none = await assay(['eval', 'c.json', '--resources-only'], { cwd: folder });
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('None of 3 scenarios is about resource.'),
    });
  });

  it('says more with --debug, on stderr', async () => {
    const folder = await mcpProject({ 'c.json': { server, toolHealthSuites: [suite] } });
    const { stdout, stderr } = await assay(['eval', 'c.json', '-d', '--json'], { cwd: folder });
    expect(JSON.parse(stdout).outcome).toBe('pass');
    expect(stderr).toMatch(/debug: Calculator: pass in .*\n.*debug: +pass add test \(add\)/);
  });

  it('writes one JUnit case for each test', async () => {
    const folder = await mcpProject({ 'c.json': config });
    const { stdout } = await assay(['eval', 'c.json', '--tool-health-only', '-r', 'junit'], { cwd: folder });
    expect(stdout).toMatch(/<testsuites name="assay r-[^"]+" tests="3" failures="0" errors="0"/);
    expect(stdout).toContain('<testcase name="More › add test"');
  });
});

describe('a workflow', () => {
  const workflow = {
    name: 'Sum',
    steps: [{ user: 'Please add 2 and 3', expectTools: ['add'], expectedState: 'five' }],
  };
  const rules: ScriptSource['rules'] = [
    { when: { toolResult: '5' }, reply: 'It is five.' },
    { when: { last: 'Please add' }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
    { reply: { json: { reasoning: 'r', evidence: [], score: 0.9, reason: 'It was right.' } } },
  ];
  const key = 'sk-ant-0123456789abcdef0123456789';
  const judgeKey = 'sk-judge-0123456789abcdef0123456789';

  it('is driven by a model and scored by three figures', async () => {
    const folder = await mcpProject({ 'c.json': { server, workflows: [workflow] } });
    const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env: { ANTHROPIC_API_KEY: key } });
    const [trial] = trialsIn(run);
    expect(run.exitCode).toBe(0);
    expect(trial).toMatchObject({
      outcome: 'pass',
      workflow_score: 1,
      judge: null,
      variant: { model: 'anthropic/claude-sonnet-4-5' },
    });
    expect(trial?.workflow?.map(({ metric }) => metric)).toEqual([
      'End-to-End Success',
      'Tool Invocation Order',
      'Tool Call Health',
    ]);
    const report = await assay(['show', 'latest'], { cwd: folder });
    expect(report.stdout).toContain('Workflow: Sum (anthropic/claude-sonnet-4-5)\n    score 1.00\n');
  });

  it('is judged when the file or the command line says so, with the key of the file', async () => {
    const judged = { server, workflows: [workflow], openaiKey: judgeKey, judgeModel: 'gpt-4o', passThreshold: 0.8 };
    const folder = await mcpProject({ 'on.json': { ...judged, llmJudge: true }, 'off.json': judged });
    const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: '' };
    for (const args of [['on.json'], ['off.json', '--llm'], ['off.json', '--llm-judge']]) {
      const run = await driven({ folder, args: ['eval', ...args, '--json', '--no-cache'], rules, env });
      expect(trialsIn(run)[0]?.workflow?.at(-1)).toMatchObject({ metric: 'LLM Judge', passed: true, score: 0.9 });
      expect(trialsIn(run)[0]?.workflow_score).toBeCloseTo(3.9 / 4);
      expect(run.stdout + run.stderr).not.toContain(judgeKey);
    }
    const off = await driven({ folder, args: ['eval', 'off.json', '--json'], rules, env });
    expect(trialsIn(off)[0]?.workflow).toHaveLength(3);
  });

  it('is judged by a fine-tuned model with the key of the file', async () => {
    const judgeModel = 'ft:gpt-4o-mini-2024-07-18:acme::abc123';
    const config = { server, workflows: [workflow], llmJudge: true, openaiKey: judgeKey, judgeModel };
    const folder = await mcpProject({ 'c.json': config });
    const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: '' };
    const [trial] = trialsIn(await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env }));
    expect(trial?.judge).toMatchObject({ state: 'pass', model: expect.stringContaining(judgeModel) });
    expect(trial?.workflow?.at(-1)).toMatchObject({ metric: 'LLM Judge', passed: true, score: 0.9 });
  });

  it('is an error when there is no key for the judge, unless the file ignores judge errors', async () => {
    const config = { server, workflows: [workflow], llmJudge: true, openaiKey: '${NO_SUCH_KEY}' };
    const folder = await mcpProject({ 'c.json': config, 'ignore.json': { ...config, judgeErrors: 'ignore' } });
    const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: '' };
    const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env });
    expect(run.exitCode).toBe(3);
    expect(trialsIn(run)[0]).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_NO_KEY' } });
    expect(trialsIn(run)[0]?.workflow?.map(({ passed }) => passed)).toEqual([true, true, true, false]);
    const ignored = await driven({ folder, args: ['eval', 'ignore.json'], rules, env });
    expect(ignored.exitCode).toBe(0);
    expect(ignored.stdout).toMatch(/- LLM Judge: not judged: [\s\S]*NO_SUCH_KEY/);
    expect(ignored.stdout).toContain('1 passed (1 not fully judged)');
  });

  it('tries models and wordings side by side', async () => {
    const config = { server, workflows: [workflow], wordings: { terse: { add: { description: 'sum' } } } };
    const folder = await mcpProject({ 'c.json': config });
    const args = ['eval', 'c.json', '--json', '--model', 'openai/gpt-4o,anthropic/claude-sonnet-4-5', '--repeat', '2'];
    const run = await driven({ folder, args, rules, env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: judgeKey } });
    const variants = trialsIn(run).map(({ variant }) => `${variant.model} ${variant.description}`);
    expect(new Set(variants).size).toBe(4);
    expect(variants).toHaveLength(8);
    expect(run.exitCode).toBe(0);
  });
});

describe('surfaces of a config', () => {
  it.each([
    [{ surfaces: ['all', 'serach'] }, [], 'unknown surface "serach"', 'search'],
    [{ surfaces: [] }, [], 'surfaces', ''],
    [{ surfaces: ['few'], subsets: { few: [] } }, [], 'subsets.few', ''],
    [{ subsets: { code: ['add'] } }, [], '`code` is the name of a surface', 'another name'],
    [{ surfaces: ['all', 'serach'], agents: ['claude-code'] }, [], 'unknown surface "serach"', 'search'],
  ])('that cannot be offered are refused before anything runs: %j', async (keys, args, message, hint) => {
    const workflows = [{ name: 'Sum', steps: [{ user: 'Add 2 and 3' }] }];
    const folder = await mcpProject({ 'c.json': { server, workflows, ...keys } });
    const { exitCode, stdout, stderr } = await assay(['validate', 'c.json', ...args], { cwd: folder });
    expect(exitCode).toBe(2);
    expect(stdout + stderr).toContain(message);
    expect(stdout + stderr).toContain(hint);
  });
});

describe('secrets of a config', () => {
  it('are in no report, no log and no store', async () => {
    const secrets = { openaiKey: 'sk-AbCdEf0123456789AbCdEf01', API_KEY: 'walnut-teapot-4711-xyz' };
    const folder = await mcpProject({
      'c.json': {
        server: { ...server, env: { API_KEY: secrets.API_KEY, MODE: 'loud' } },
        toolHealthSuites: [{ name: 'Settings', tests: [{ name: 'settings', args: {}, expectedResult: 'mode=quiet' }] }],
        openaiKey: secrets.openaiKey,
      },
      'h.json': {
        server: {
          transport: 'shttp',
          url: 'http://127.0.0.1:9/mcp',
          headers: { Authorization: `Bearer ${secrets.API_KEY}` },
        },
        toolHealthSuites: [{ ...suite, name: 'Unreachable' }],
        timeout: 2_000,
      },
    });
    const args = ['eval', 'c.json', 'h.json', '--debug', '-r', 'console,json,junit,markdown', '-o', 'out'];
    const { stdout, stderr, exitCode } = await assay(args, { cwd: folder });
    expect(exitCode).toBe(1);
    const kept = await filesBelow(folder, ['c.json', 'h.json']);
    expect(kept.map(({ name }) => name)).toEqual(expect.arrayContaining(['out/run.json', 'out/junit.xml']));
    const stored = (await storedBytes(folder)).toString('latin1');
    const everything = [stdout, stderr, stored, ...kept.map(({ text }) => text)].join('\n');
    expect(everything).toContain('mode=loud');
    for (const secret of Object.values(secrets)) expect(everything.includes(secret)).toBe(false);
  });
});

async function filesBelow(folder: string, without: readonly string[]) {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (path) => ({
    name: path.slice(folder.length + 1),
    text: await readFile(path, 'latin1'),
  }));
  return (await Promise.all(read)).filter(({ name }) => !without.includes(name));
}
