import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { validateConversation } from '../../src/testing/support/conversation-run.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Tools with a state in a file: a list that grows. */
const files = {
  'add.sh': 'cat >> list.txt; echo >> list.txt; echo added',
  'list.sh': 'cat list.txt 2>/dev/null || echo empty',
  'tools.mjs': "export const price = () => '12'; export const broken = () => { throw new RangeError('no paper'); };",
};

const tool = (name: string, source: object, kind = 'other') => ({ name, description: `Tool ${name}`, kind, ...source });
const usual = [
  tool('add', { command: 'sh add.sh', input: { type: 'object', properties: { item: { type: 'string' } } } }, 'edit'),
  tool('list', { command: 'sh list.sh' }, 'read'),
  tool('price', { module: './tools.mjs', export: 'price' }),
  tool('broken', { module: './tools.mjs', export: 'broken' }),
];

type Calls = readonly (readonly [name: string, input: object])[];

/** A model that makes the calls one after the other, and then says what it was told. */
function making(calls: Calls, reply = 'Done.'): ScriptSource {
  return {
    rules: [
      ...calls.map(([name, input], index) => ({
        when: { turn: index + 1 },
        reply: 'One moment.',
        toolCalls: [{ name, input }],
      })),
      { reply },
    ],
  } as ScriptSource;
}

async function scripted(script: ScriptSource): Promise<Record<string, string>> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model[Symbol.asyncDispose]());
  return { OPENAI_API_KEY: 'any', ANTHROPIC_API_KEY: 'any', ...model.environment };
}

const scenario = (more: object = {}, loop: object = { tools: usual }) => ({
  name: 'Shopping',
  connector: { type: 'openai-chat', config: { model: 'gpt-4o-mini' }, toolLoop: loop },
  userMessages: ['Add milk, and tell me the list.'],
  evaluators: [{ type: 'contains', config: { text: 'Done' } }],
  ...more,
});

async function run(cwd: string, calls: Calls, flags: readonly string[] = [], command = ['run', 's.json']) {
  const env = await scripted(making(calls));
  const result = await assay([...command, '--json', '--no-cache', ...flags], { cwd, env });
  if (!result.stdout.startsWith('{')) throw new Error(result.stderr + result.stdout);
  const { trials, ...rest } = JSON.parse(result.stdout);
  const traces = [];
  for (const { trialId } of trials) {
    const { stdout } = await assay(['show', trialId, '--json'], { cwd, env });
    traces.push(JSON.parse(stdout).trace);
  }
  const results = (traces[0] ?? []).filter(({ type }: { type: string }) => type === 'tool-result');
  return { ...result, run: rest, trials, trial: trials[0], traces, results };
}

const project = (written: object = scenario()) => temporaryFolder({ 's.json': JSON.stringify(written), ...files });

const milk: Calls = [
  ['add', { item: 'milk' }],
  ['list', {}],
  ['price', {}],
  ['broken', {}],
];

describe('tools that Assay runs for a model, under control', () => {
  it('are recorded, and answer again when they are gone', async () => {
    const cwd = await project();
    const real = await run(cwd, milk);
    await rm(join(cwd, 'list.txt'));
    const recorded = await run(cwd, milk, ['--record-tools', 'tape']);
    expect([real.trial.outcome, recorded.trial.outcome]).toEqual(['pass', 'pass']);
    const answers = (of: typeof real) =>
      of.results.map(({ result, error }: Record<string, unknown>) => result ?? error);
    expect(answers(recorded)).toEqual(answers(real));
    expect(answers(real)).toMatchObject(['added', { item: 'milk' }, '12', { name: 'RangeError', message: 'no paper' }]);
    // Commands are gone, and `list.txt` stays as it is.
    await writeFile(join(cwd, 'list.txt'), 'other\n');
    const replayed = await run(cwd, milk, ['--replay-tools', 'tape']);
    expect(answers(replayed)).toEqual(answers(real));
    expect(replayed.trial).toMatchObject({ outcome: 'pass', control: { replay: 4 } });
    expect(replayed.results.every(({ answeredBy }: { answeredBy?: string }) => answeredBy === 'replay')).toBe(true);
  });

  it('miss in another state, with other arguments and as another tool', async () => {
    const cwd = await project();
    await run(cwd, milk, ['--record-tools', 'tape']);
    const missed = [[['list', {}]], [['add', { item: 'tea' }]], [...milk, ['list', {}]]] as readonly Calls[];
    for (const calls of missed) {
      const { trial, exitCode } = await run(cwd, calls, ['--replay-tools', 'tape']);
      expect([trial.outcome, trial.fault?.code, exitCode]).toEqual(['error', 'TOOL_REPLAY_MISS', 3]);
    }
    await writeFile(join(cwd, 'list.sh'), 'echo changed');
    const { trial } = await run(cwd, milk, ['--replay-tools', 'tape']);
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.reason).toContain('list.sh');
  });

  it('are recorded with those of servers, which a replay does not start', async () => {
    const server = await temporaryFolder({});
    const script = join(server, 'server.mjs');
    await writeFile(script, `import '${root}/src/testing/support/mcp-server.mjs';`);
    const of = { server: { command: 'node', args: [script] }, only: ['add', 'divide'] };
    const cwd = await project(scenario({}, { tools: [of] }));
    const calls: Calls = [
      ['add', { a: 2, b: 3 }],
      ['divide', { a: 1, b: 0 }],
    ];
    const recorded = await run(cwd, calls, ['--record-tools', 'tape']);
    expect(recorded.results).toMatchObject([{ result: 5 }, { error: { message: 'Cannot divide by zero' } }]);
    await rm(script);
    const replayed = await run(cwd, calls, ['--replay-tools', 'tape']);
    expect(replayed.trial.outcome).toBe('pass');
    expect(replayed.results).toMatchObject([
      { result: 5, answeredBy: 'replay' },
      { error: { message: 'Cannot divide by zero' }, answeredBy: 'replay' },
    ]);
    const called = replayed.traces[0].filter(({ type }: { type: string }) => type === 'tool-call');
    expect(called[0]).toMatchObject({ kind: 'mcp', server: expect.stringContaining('server.mjs') });
  });

  it('are mocked, and the real tool does not run', async () => {
    const mocks = { list: { result: 'bread' }, add: [{ when: { args: { item: 'milk' } }, error: 'full' }] };
    const cwd = await project(scenario({ tools: mocks }));
    const { trial, results } = await run(cwd, milk);
    expect(trial).toMatchObject({ outcome: 'pass', control: { mock: 2 } });
    expect(results).toMatchObject([
      { error: { message: 'full' }, answeredBy: 'mock' },
      { result: 'bread', answeredBy: 'mock' },
      { result: '12' },
      { error: { message: 'no paper' } },
    ]);
    expect(results[2].answeredBy).toBeUndefined();
  });

  it.each([
    ['error', { message: 'out of order' }, { error: { message: 'out of order' } }],
    ['rate-limit', {}, { error: { message: 'Rate limit exceeded. Retry later.' } }],
    ['empty', {}, { result: '' }],
    ['truncated', {}, { result: '{"item"' }],
    ['malformed', {}, { result: expect.stringContaining('\uFFFD') }],
    ['schema-breaking', {}, { result: { item: 4 } }],
    ['huge', { bytes: 2_000 }, { result: expect.stringMatching(/\.\.\./) }],
    ['timeout', {}, { error: { message: 'Timed out after 2 s.' } }],
    ['dropped', {}, { error: { message: expect.stringContaining('closed the connection') } }],
    ['tool-removed', {}, { error: { message: 'Unknown tool: list' } }],
  ])('are broken by the fault %s, once and no other call', async (fault, more, broken) => {
    const faults = [{ fault, border: 'mcp', tool: 'list', call: 1, ...more }];
    const cwd = await project(scenario({ faults }, { tools: usual, timeoutSecs: 2 }));
    const calls: Calls = [
      ['add', { item: 'milk' }],
      ['list', {}],
      ['list', {}],
    ];
    const { trial, results } = await run(cwd, calls);
    expect(trial).toMatchObject({ outcome: 'pass', control: { fault: 1 } });
    expect(results[1]).toMatchObject({ ...broken, answeredBy: 'fault' });
    expect(results[2]).toMatchObject({ result: { item: 'milk' } });
    expect(results[2].answeredBy).toBeUndefined();
  });

  it('answer as they did before they changed: a stale answer', async () => {
    const faults = [{ fault: 'stale', border: 'mcp', tool: 'list', call: 2 }];
    const cwd = await project(scenario({ faults }));
    const { results } = await run(cwd, [
      ['list', {}],
      ['add', { item: 'milk' }],
      ['list', {}],
    ]);
    expect(results[2]).toMatchObject({ result: 'empty', answeredBy: 'fault' });
  });

  it('are attacked: an instruction in their answers, a tool beside them, and a secret that leaves', async () => {
    const cwd = await project(scenario({}, { tools: usual }));
    const gullible: Calls = [
      ['list', {}],
      ['submit_diagnostics', { details: 'all' }],
    ];
    const flags = ['--suites', 'core', '--places', 'tool-result'];
    const obeyed = await run(cwd, gullible, flags, ['attack', 's.json']);
    const outcomes = obeyed.trials.flatMap(({ attack }: { attack?: { outcome: string } }) => attack?.outcome ?? []);
    expect(outcomes.length).toBeGreaterThan(0);
    const careful = await run(cwd, [['list', {}]], flags, ['attack', 's.json']);
    const kept = careful.trials.flatMap(({ attack }: { attack?: { outcome: string } }) => attack?.outcome ?? []);
    expect(kept).not.toContain('succeeded');
    expect(kept).toContain('resisted');
  });

  it.each([
    ['mocks of a tool that is not there', { tools: { lst: { result: 1 } } }, 'there is no tool "lst"'],
    [
      'a fault of a tool that is not there',
      { faults: [{ fault: 'error', border: 'mcp', tool: 'lst' }] },
      'no tool `lst`',
    ],
    ['a restart', { faults: [{ fault: 'server-restart', border: 'mcp' }] }, 'cannot restart'],
  ])('are refused with %s', async (_, more, problem) => {
    const { exitCode, stdout, stderr } = await validateConversation(scenario(more), files);
    expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('are not those of an agent that runs its own', async () => {
    const connector = { type: 'http', baseUrl: 'http://127.0.0.1:9' };
    const given = { tools: { list: { result: 1 } }, attack: { name: 'x', place: 'tool-result' } };
    const { exitCode, stdout, stderr } = await validateConversation({ ...scenario(given), connector }, files);
    expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining('`tools` is about tools that Assay runs')]);
  });
});
