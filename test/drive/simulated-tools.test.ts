import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { reporters } from '../../src/report/reporters/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { driven, mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';

const env = { OPENAI_API_KEY: 'sk-any' };
const player = 'openai/gpt-4o-mini';
const simulate = { model: player, state: { sums: 0 }, instructions: 'Counts its sums.' };

/** A model that plays `add`: each answer depends on the state that the answer before it left. */
const played = (state: number, reply: object): ScriptSource['rules'][number] => ({
  when: { model: 'gpt-4o-mini', last: `{"sums":${state}}` },
  reply: JSON.stringify({ ...reply, state: { sums: state + 1 } }),
  usage: { input: 1_000, output: 100 },
});
const twoSums: ScriptSource['rules'] = [
  played(0, { result: 'sum 1' }),
  played(1, { result: 'too many sums' }),
  { when: { model: 'gpt-4o-mini' }, reply: '{"result":"lost its state","state":{}}' },
];

/** The agent adds twice and says what it got. */
const byModel: ScriptSource['rules'] = [
  { when: { model: '/^gpt-4o$/', toolResult: 'too many' }, reply: 'All done: too many sums' },
  { when: { model: '/^gpt-4o$/', toolResult: 'sum 1' }, toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] },
  { when: { model: '/^gpt-4o$/' }, toolCalls: [{ name: 'add', input: { a: 1, b: 1 } }] },
];

interface Simulated {
  readonly trialId: string;
  readonly outcome: string;
  readonly reason: string;
  readonly control?: object;
  readonly costUsd: number | null;
  readonly costs: Readonly<Record<string, number | null>>;
  readonly fault?: { readonly code: string; readonly blame: string };
  readonly durationMs: number;
  readonly targetUsage: { readonly inputTokens: number } | null;
}

async function tried(folder: string, args: readonly string[], rules: ScriptSource['rules'], more = env) {
  const run = await driven({ folder, args: ['run', ...args, '--json'], rules, env: more });
  if (run.stdout === '') throw new Error(run.stderr);
  const [trial] = trialsIn(run) as unknown as Simulated[];
  if (!trial) throw new Error(`No trial: ${run.stderr}`);
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  return { run, trial, trace: (JSON.parse(shown.stdout) as { trace: Trace }).trace };
}

const workflow = {
  server,
  model: 'openai/gpt-4o',
  tools: { add: { simulate } },
  workflows: [{ name: 'Sums', steps: [{ user: 'Please add', expectTools: ['add'], expectedState: 'too many' }] }],
};

const loop = {
  name: 'Loop',
  connector: {
    type: 'openai-chat',
    config: { model: 'gpt-4o' },
    toolLoop: { tools: [{ name: 'add', description: 'Adds', command: 'exit 1' }] },
  },
  userMessages: ['Please add'],
  tools: { add: { simulate } },
  evaluators: [{ type: 'contains', config: { text: 'too many sums' } }],
};

const agentFile = new URL('../../src/testing/support/mcp-agent.mjs', import.meta.url);

/** A project in which an agent with a proxy in front of its server adds twice. */
async function agentProject(): Promise<string> {
  const user = 'call add {"a":1,"b":1}\ncall add {"a":1,"b":2}';
  const steps = [{ user, expectTools: ['add'], expectedState: 'too many sums' }];
  const config = { ...workflow, workflows: [{ name: 'Sums', steps }] };
  const folder = await mcpProject({ 'c.json': config, 'agent.mjs': await readFile(agentFile, 'utf8') });
  const agents = { mine: { command: `node ${folder}/agent.mjs` } };
  await writeFile(join(folder, 'assay.config.json'), JSON.stringify({ isolation: 'none', agent: 'mine', agents }));
  return folder;
}

const borders: Readonly<Record<string, () => Promise<{ folder: string; args: string[] }>>> = {
  'a workflow with a real server': async () => ({ folder: await mcpProject({ 'c.json': workflow }), args: ['c.json'] }),
  'a workflow with a mocked server': async () => {
    const add = { description: 'Adds', answers: { simulate } };
    const config = { ...workflow, server: { transport: 'mock', tools: { add } }, tools: undefined };
    return { folder: await mcpProject({ 'c.json': config }), args: ['c.json'] };
  },
  'the tools of a conversation': async () => ({ folder: await mcpProject({ 'c.json': loop }), args: ['c.json'] }),
  'an agent behind a proxy': async () => ({ folder: await agentProject(), args: ['c.json', '--agent', 'mine'] }),
};

describe.each(Object.entries(borders))('a simulated tool in %s', (_, project) => {
  it('is played by a model whose state goes from call to call, and its money is counted apart', async () => {
    const { folder, args } = await project();
    const { trial, trace, run } = await tried(folder, args, [...twoSums, ...byModel]);
    expect(trial, `${trial.reason} ${run.stderr}`).toMatchObject({ outcome: 'pass', control: { simulate: 2 } });
    expect(eventsOf(trace, 'tool-control').filter(({ kind }) => kind === 'simulate')).toMatchObject([
      { tool: 'add', callNumber: 1, what: 'answered with a result', simulation: { model: player, state: { sums: 1 } } },
      { tool: 'add', callNumber: 2, simulation: { state: { sums: 2 } } },
    ]);
    expect(eventsOf(trace, 'tool-result').map(({ answeredBy }) => answeredBy)).toEqual(
      expect.arrayContaining(['simulate', 'simulate']),
    );
    const simulation = eventsOf(trace, 'usage').filter(({ purpose }) => purpose === 'simulation');
    expect(simulation).toMatchObject([{ inputTokens: 1_000 }, { inputTokens: 1_000 }]);
    const { targetUsd = 0, simulationUsd = 0, personaUsd, judgeUsd } = trial.costs;
    expect(simulationUsd).toBeGreaterThan(0);
    expect([personaUsd, judgeUsd]).toEqual([0, 0]);
    expect(trial.costUsd).toBe(targetUsd === null || simulationUsd === null ? null : targetUsd + simulationUsd);
    expect(eventsOf(trace, 'gap')).toEqual([]);
    const own = run.requests.filter(({ conversation }) => conversation?.model === 'gpt-4o-mini');
    expect(own).toHaveLength(2);
    expect(JSON.stringify(own[1])).toContain('Counts its sums.');
  });
});

describe('a simulated program', () => {
  const state = (items: number) => `{\\"items\\":${items}}`;
  const program = (items: number, reply: object): ScriptSource['rules'][number] => ({
    when: { model: 'gpt-4o-mini', last: state(items).replaceAll('\\', '') },
    reply: JSON.stringify({ stdout: '', stderr: '', exitCode: 0, files: {}, ...reply, state: { items: items + 1 } }),
  });
  const rules = [
    program(0, { stdout: 'created tea\n', files: { 'tea.txt': 'tea' } }),
    program(1, { stderr: 'locked\n', exitCode: 3 }),
  ];
  const tools = `tools: { my-tool: { simulate: { model: ${player}, state: { items: 0 }, stdin: true } } }\n`;
  const gates = '[{ type: file_exists, path: tea.txt }, { type: command_succeeds, command: "grep 3 end.txt" }]';
  const steps = ['my-tool create --title tea', 'echo in | my-tool list; echo "exit $?" > end.txt'];
  const script = JSON.stringify({ steps: steps.map((run) => ({ run })) });

  it('is played by what the real one prints as its help, and leaves files', async () => {
    const folder = await toolProject({ scenario: toolScenario(gates, tools), script });
    const { trial, trace, run } = await tried(folder, ['scenario.yaml'], rules, { ...env, ...toolEnvironment(folder) });
    expect(trial, run.stderr).toMatchObject({ outcome: 'pass', control: { simulate: 2 } });
    expect(eventsOf(trace, 'command').map(({ exitCode, answeredBy }) => [exitCode, answeredBy])).toEqual([
      [0, 'simulate'],
      [3, 'simulate'],
    ]);
    expect(eventsOf(trace, 'tool-control')).toMatchObject([
      { border: 'cli', what: 'answered with exit code 0', simulation: { state: { items: 1 } } },
      { what: 'answered with exit code 3' },
    ]);
    expect(JSON.stringify(run.requests[0])).toContain('usage: my-tool create');
    expect(JSON.stringify(run.requests[1])).toMatch(/stdin.{1,9}in/);
  });

  it('need not be there when its help is in the file', async () => {
    const help = tools.replaceAll('my-tool', 'new-tool').replace('stdin: true', 'help: "usage: new-tool create"');
    const scenario = toolScenario(gates, help).replaceAll('my-tool', 'new-tool');
    const folder = await toolProject({ scenario, script: script.replaceAll('my-tool', 'new-tool') });
    const { trial, run } = await tried(folder, ['scenario.yaml'], rules);
    expect(trial, JSON.stringify(trial) + run.stderr).toMatchObject({ outcome: 'pass', control: { simulate: 2 } });
  });
});

describe('a model that cannot play a tool', () => {
  const failures: Readonly<Record<string, [rules: ScriptSource['rules'], flags: string[], fault: object]>> = {
    'gives no usable answer': [
      [{ when: { model: 'mini' }, reply: 'I am a calculator!' }],
      [],
      { code: 'MODEL_BAD_REPLY', blame: 'model' },
    ],
    'breaks the form of the answer': [
      [{ when: { model: 'mini' }, reply: '{"result":1,"error":"both","state":{}}' }],
      [],
      { code: 'MODEL_BAD_REPLY', blame: 'model' },
    ],
    fails: [[{ when: { model: 'mini' }, fault: { status: 401 } }], [], { code: 'MODEL_UNAUTHORIZED', blame: 'model' }],
    'may cost more than the limit': [twoSums, ['--max-usd', '0.0000001'], { code: 'MODEL_BUDGET_REACHED' }],
  };

  it.each(Object.entries(failures))(
    'makes the trial an error and not a failure of the agent: it %s',
    async (_, given) => {
      const [rules, flags, fault] = given;
      for (const name of ['the tools of a conversation', 'an agent behind a proxy']) {
        const { folder, args } = (await borders[name]?.()) ?? { folder: '', args: [] };
        const { trial } = await tried(folder, [...args, ...flags], [...rules, ...byModel]);
        expect([name, trial]).toMatchObject([name, { outcome: 'error', fault }]);
      }
    },
  );

  it('refuses results that break the output schema of the tool', async () => {
    const config = { ...workflow, tools: { divide: { simulate } } };
    const folder = await mcpProject({ 'c.json': config });
    const rules: ScriptSource['rules'] = [
      { when: { model: 'mini', last: 'does not fit' }, reply: '{"result":{"quotient":2},"state":{}}' },
      { when: { model: 'mini' }, reply: '{"result":{"quotient":"many"},"state":{}}' },
      { when: { toolResult: '2' }, reply: 'too many' },
      { toolCalls: [{ name: 'divide', input: { a: 4, b: 2 } }] },
    ];
    const { trace, run } = await tried(folder, ['c.json'], rules);
    expect(eventsOf(trace, 'tool-result'), run.stdout).toMatchObject([
      { result: { structuredContent: { quotient: 2 } }, answeredBy: 'simulate' },
    ]);
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'The model that plays divide was prompted again: the result does not fit the output schema',
      ),
    ]);
  });
});

it('is marked on every surface, gives no times, and is neither a baseline nor compared with the real tool', async () => {
  const folder = await mcpProject({ 'c.json': workflow, 'r.json': { ...workflow, tools: undefined } });
  const { trial } = await tried(folder, ['c.json'], [...twoSums, ...byModel]);
  const printed = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await assay(args, { cwd: folder });
    return `${stdout}${stderr}`;
  };
  for (const { name } of reporters)
    expect([name, await printed('report', 'latest', '-f', name, '-o', '-')]).toEqual([
      name,
      expect.stringMatching(/simulated.tools/),
    ]);
  expect((await printed('runs')).split('\n')[0]).toContain('simulated');
  expect((await printed('show', trial.trialId)).split('\n')[0]).toContain('simulated-tools');
  expect(await printed('show', trial.trialId)).toContain('simulate: call 1 of server › add answered with a result');
  expect(await printed('baseline', 'set', 'latest')).toContain('so it cannot be a baseline');
  await tried(folder, ['r.json'], byModel);
  expect(await printed('compare', 'latest~1', 'latest')).toContain('simulated-tools');
  const limited = { ...loop, evaluators: [{ type: 'latency-budget', config: { maxMs: 60_000 } }] };
  await writeFile(join(folder, 'l.json'), JSON.stringify(limited));
  const { trial: timed } = await tried(folder, ['l.json'], [...twoSums, ...byModel]);
  expect(timed).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED' } });
});

it('is replayed from recordings of its model, and not in another state', async () => {
  const folder = await mcpProject({ 'c.json': loop });
  const recorded = await tried(folder, ['c.json', '--record', 'calls'], [...twoSums, ...byModel]);
  expect(recorded.trial.outcome).toBe('pass');
  const replayed = await tried(folder, ['c.json', '--replay', 'calls'], byModel);
  expect(replayed.trial).toMatchObject({ outcome: 'pass', costs: { simulationUsd: 0 } });
  expect(replayed.run.requests.filter(({ conversation }) => conversation?.model === 'gpt-4o-mini')).toEqual([]);
  const other = { ...loop, tools: { add: { simulate: { ...simulate, state: { sums: 7 } } } } };
  await writeFile(join(folder, 'c.json'), JSON.stringify(other));
  const missed = await tried(folder, ['c.json', '--replay', 'calls'], byModel);
  expect(missed.trial).toMatchObject({ outcome: 'error', fault: { code: 'REPLAY_MISS' } });
});
