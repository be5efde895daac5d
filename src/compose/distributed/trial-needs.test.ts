import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isServedBy, lacking, type Needs, protocolVersion } from '../../keep/distribution/distribution.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { openProject } from '../config/project.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { asksJudge } from '../run/cost-limits.ts';
import { selectScenarios } from '../run/prepare-run.ts';
import { needsOf } from './trial-needs.ts';

type Env = Readonly<Record<string, string>>;

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

/** Needs of the trials of a project, by the name of the scenario and its variant. */
async function needsIn(folder: string, env: Env = {}, paths?: string[]): Promise<Record<string, Needs>> {
  const project = await openProject(folder, env);
  const judging = new ProjectJudging(project, {}, env);
  const { scenarios } = await selectScenarios({ paths }, project, { env });
  const found: Record<string, Needs> = {};
  for (const scenario of scenarios) {
    for await (const { evaluators } of scenario.cases()) {
      for (const variant of scenario.variants) {
        const judges = asksJudge(evaluators, project) ? judging.modelNames(scenario.judge) : [];
        const { agent, model, persona } = variant;
        const name = [scenario.name, agent, model, persona].filter((part) => part !== undefined).join(' / ');
        found[name] = needsOf(scenario, variant, project, { env, judges, personaModel: judges[0] });
      }
    }
  }
  return found;
}

function project(files: Readonly<Record<string, unknown>>): Promise<string> {
  return temporaryFolder(Object.fromEntries(Object.entries(files).map(([name, file]) => [name, JSON.stringify(file)])));
}

describe('the four kinds of scenario', () => {
  it('a tool that is called directly needs nothing', async () => {
    const found = await needsIn(join(examples, 'spreadsheet'), {}, ['scenarios/01-dry-run-column-update.yaml']);
    expect(Object.values(found)).toEqual([{ tags: [], agents: [], env: [], protocol: protocolVersion }]);
  });

  it('a judged one needs the key of the judge', async () => {
    expect(await needsIn(join(examples, 'judged'), {}, ['capital.yaml'])).toMatchObject({
      'Capital of France': { agents: [], env: ['OPENAI_API_KEY'] },
    });
  });

  it('a CLI tool with a scripted agent needs nothing that must be installed', async () => {
    expect(await needsIn(join(examples, 'taskmgr'))).toMatchObject({
      'Plan a release / scripted': { agents: [], env: [] },
    });
  });

  it('a conversation needs the variables of its connector, and the key of the judge', async () => {
    const env = { LLM_TOOL_TEST_JUDGE: 'anthropic/claude-sonnet-4-5' };
    expect(await needsIn(join(examples, 'booking-agent'), env, ['booking-flow.jsonc'])).toMatchObject({
      'Booking Flow': { env: ['ANTHROPIC_API_KEY', 'BOOKING_AGENT_URL'] },
    });
  });

  it('a bare model and a simulated user need the keys of their providers', async () => {
    const found = await needsIn(join(examples, 'bare-model'), {}, ['clouds.yaml', 'router.yaml']);
    expect(Object.values(found).map(({ env }) => env)).toEqual([
      ['AWS_BEARER_TOKEN_BEDROCK|AWS_ACCESS_KEY_ID'],
      ['GOOGLE_VERTEX_ACCESS_TOKEN|CLOUDSDK_AUTH_ACCESS_TOKEN|GOOGLE_APPLICATION_CREDENTIALS'],
      ['OPENAI_API_KEY'],
    ]);
  });

  it('an MCP server needs a key only where a model takes part', async () => {
    const env = { OPENAI_API_KEY: 'sk-1' };
    const found = await needsIn(join(examples, 'calculator'), env, ['calculator.json']);
    expect(found.Arithmetic).toMatchObject({ env: [] });
    expect(found['Shopping / openai/gpt-4.1']).toMatchObject({ env: ['OPENAI_API_KEY'] });
  });
});

describe('agents', () => {
  const task = {
    name: 'Task',
    target: { binary: 'sh' },
    task: { prompt: 'Say ${HOME}' },
    setup: { commands: ['echo ${NOT_OURS}'] },
    evaluation: { gates: [{ type: 'command_succeeds', command: 'true' }] },
  };

  it.each([
    ['claude-code', undefined, ['claude-code'], ['ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|CLAUDE_CODE_OAUTH_TOKEN']],
    ['codex', undefined, ['codex'], ['OPENAI_API_KEY']],
    ['opencode', 'anthropic/claude-sonnet-4-5', ['opencode'], ['ANTHROPIC_API_KEY']],
  ])('%s with %s', async (agent, model, agents, env) => {
    const folder = await project({ 'task.json': { ...task, agents: [agent], ...(model && { models: [model] }) } });
    expect(Object.values(await needsIn(folder))).toMatchObject([{ agents, env }]);
  });

  it('need the credentials of their MCP servers, which the file names without their values', async () => {
    const oauth = { clientId: 'tests', clientSecretEnv: 'FILES_SECRET', issuer: 'https://login.example.com' };
    const files = { url: 'https://${FILES_HOST}/mcp', oauth: { ...oauth, grant: 'client-credentials' } };
    const mail = {
      url: 'https://example.com/mail',
      oauth: { clientId: 'tests', refreshTokenEnv: 'MAIL_LOGIN', issuer: 'https://login.example.com' },
    };
    const notes = { command: 'node', args: ['notes.mjs'], env: { KEY: '${NOTES_KEY}' } };
    const folder = await project({ 'task.json': { ...task, agents: ['codex'], mcp_servers: { files, mail, notes } } });
    expect(Object.values(await needsIn(folder))).toMatchObject([
      { env: ['FILES_HOST', 'FILES_SECRET', 'MAIL_LOGIN', 'NOTES_KEY', 'OPENAI_API_KEY'] },
    ]);
  });

  it('of the project need the variables that their settings mention, and no program', async () => {
    const mine = { kind: 'claude-code', command: './bin/mine', env: { TOKEN: '${MY_TOKEN}' }, apiKey: 'none' };
    const folder = await project({
      'task.json': { ...task, agents: ['mine'] },
      'assay.config.json': { scenarios: ['task.json'], agents: { mine } },
    });
    expect(Object.values(await needsIn(folder))).toMatchObject([{ agents: [], env: ['MY_TOKEN'] }]);
  });
});

describe('variables, keys and tags', () => {
  const direct = { name: 'Direct', call: { url: '${SHOP_URL}/x', headers: { authorization: 'Bearer ${SHOP_TOKEN}' } } };

  it('of the target, of the config, and of providers by other names', async () => {
    const judge = { model: ['gemini/gemini-2.5-flash', 'local/small'], successCriteria: ['It is fine'] };
    const folder = await project({
      'a.json': { ...direct, input: { text: '${NOT_EXPANDED}' }, judge, worker: { tags: ['gpu'] } },
      'assay.config.json': {
        scenarios: ['a.json'],
        output: '${REPORTS}',
        worker: { tags: ['linux'] },
        models: { providers: { local: { baseUrl: 'http://${LOCAL}/v1' }, gemini: { apiKey: '${OUR_KEY}' } } },
      },
    });
    expect(await needsIn(folder, { REPORTS: 'out' })).toEqual({
      Direct: {
        tags: ['gpu', 'linux'],
        agents: [],
        env: [
          'LOCAL',
          'OUR_KEY|GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENERATIVE_AI_API_KEY',
          'REPORTS',
          'SHOP_TOKEN',
          'SHOP_URL',
        ],
        protocol: protocolVersion,
      },
    });
  });

  it('only of the connector and the persona of the variant', async () => {
    const persona = (header: string) => ({ goal: 'Buy', headers: { 'x-user': header } });
    const folder = await project({
      'talk.json': {
        name: 'Talk',
        connector: { type: 'anthropic', config: { model: 'claude-sonnet-4-5' } },
        personas: { anna: persona('${ANNA}'), ben: { ...persona('ben'), model: 'openai/gpt-4o-mini' } },
        evaluators: [{ type: 'contains', config: { text: 'ok' } }],
      },
    });
    const found = await needsIn(folder);
    expect(found['Talk / anna']?.env).toEqual(['ANNA', 'ANTHROPIC_API_KEY']);
    expect(found['Talk / ben']?.env).toEqual(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']);
  });

  it('expanded in the file of an MCP server, where they are set here', async () => {
    const server = { transport: 'http', url: 'http://127.0.0.1:${PORT}/mcp', headers: { authorization: '${MCP_KEY}' } };
    const suite = { name: 'Suite', tests: [{ name: 'add', args: { a: '${UNSET}' }, expectedResult: 1 }] };
    const folder = await project({ 'server.json': { server, toolHealthSuites: [suite] } });
    expect(Object.values(await needsIn(folder, { PORT: '1' }))).toMatchObject([{ env: ['MCP_KEY', 'PORT'] }]);
  });
});

it('one of several variables is enough', () => {
  const needs: Needs = { tags: [], agents: [], env: ['A|B', 'C'], protocol: protocolVersion };
  const worker = { tags: [], agents: [], protocol: protocolVersion };
  expect(isServedBy(needs, { ...worker, env: ['B', 'C'] })).toBe(true);
  expect(lacking(needs, { ...worker, env: [] })).toEqual(['variable A or B', 'variable C']);
});
