import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { IsolationProbes } from '../../src/drive/workspace/find-isolation.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  onlyTrial,
  runTool,
  type ToolTrial,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const source = (path: string): Promise<string> => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const files = {
  'agent.mjs': await source('../../src/testing/support/mcp-agent.mjs'),
  'server.mjs': await source('../../src/testing/fakes/mcp/logging-server.mjs'),
};

const probes = new IsolationProbes();
const tiers = await Promise.all(
  (['bubblewrap', 'process', 'none'] as const).map(async (tier) => ({
    tier,
    works: 'isolation' in (await probes.probe(tier)),
  })),
);

function configOf(folder: string, isolation = 'auto'): string {
  return JSON.stringify({ isolation, agent: 'mine', agents: { mine: { command: `node ${folder}/agent.mjs` } } });
}

async function traceOf(folder: string, { trialId }: ToolTrial): Promise<Trace> {
  const shown = await assay(['show', trialId, '--json'], { cwd: folder });
  return JSON.parse(shown.stdout).trace;
}

function recordedCalls(trace: Trace): unknown[] {
  const calls = eventsOf(trace, 'tool-call').filter(({ seenBy }) => seenBy === 'recorder');
  return calls.map(({ tool, input }) => ({ tool, input }));
}

/** The calls that the server says it got. */
async function serverCalls(log: string): Promise<unknown[]> {
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { direction: string; line: string });
  const got = entries.filter(({ direction }) => direction === 'got').map(({ line }) => JSON.parse(line));
  return got
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => ({ tool: params.name, input: params.arguments }));
}

describe('an MCP server that is handed to the agent of a CLI tool', () => {
  for (const { tier, works } of tiers) {
    it.skipIf(!works)(`has what it was asked on record, in the isolation ${tier}`, async () => {
      const task = 'prompt: |-\n    call echo {"text":"milk"}\n    call fail\n    call echo {"text":"again"}';
      const servers =
        'mcp_servers: { notes: { command: node, args: [SERVER, server.log], env: { KEY: "${NOTES_KEY}" } } }';
      const scenario = toolScenario('[]', servers).replace('prompt: Create an item.', task);
      const folder = await toolProject({ scenario: '', script: '', files });
      await writeFiles(folder, {
        'scenario.yaml': scenario.replace('SERVER', join(folder, 'server.mjs')),
        'assay.config.yaml': configOf(folder, tier),
      });
      const run = await runTool(folder, [], { NOTES_KEY: 'key-of-the-notes-4711' });
      const trial = onlyTrial(run);
      expect(trial).toMatchObject({ fault: { code: 'NOTHING_ASSERTED' }, interaction: { total_commands: 0 } });
      const trace = await traceOf(folder, trial);
      const artifacts = join(folder, '.assay/artifacts', trial.artifacts ?? '');
      expect(recordedCalls(trace)).toHaveLength(3);
      expect(recordedCalls(trace)).toEqual(await serverCalls(join(artifacts, 'fixture/server.log')));
      expect(eventsOf(trace, 'mcp-server')).toMatchObject([{ label: 'notes', name: 'logging', seenBy: 'recorder' }]);
      expect(eventsOf(trace, 'tool-result')).toMatchObject([{}, { error: { message: 'it did not work' } }, {}]);
      expect(JSON.stringify(trace)).not.toContain('key-of-the-notes-4711');
      await expect(readFile(join(artifacts, 'recorder/mcp/1.json'))).rejects.toThrow();
      expect(processesWith(trial.trialId)).toEqual([]);
    });
  }
});

it('tells what the server saw and what the agent tells in the order in which it happened', async () => {
  const servers = 'mcp_servers: { notes: { command: node, args: [SERVER, server.log] } }';
  // The script of the agent does not make files of the project readable, so its program is in the template.
  const inTemplate = { ...files, 'template/agent.mjs': files['agent.mjs'] };
  const folder = await toolProject({ scenario: '', script: '', files: inTemplate });
  const step = (text: string): string => `ASSAY_PROMPT='call echo {"text":"${text}"}' node agent.mjs`;
  await writeFiles(folder, {
    'scenario.yaml': toolScenario('[]', servers.replace('SERVER', join(folder, 'server.mjs'))),
    'script.yaml': JSON.stringify({ steps: [step('one'), step('two')] }),
  });
  const trial = onlyTrial(await runTool(folder));
  const trace = await traceOf(folder, trial);
  const order = trace.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
  const call = ['agent tool-call', 'recorder tool-call', 'recorder tool-result', 'agent tool-result'];
  expect(order.map(({ seenBy, type }) => `${seenBy} ${type}`)).toEqual([...call, ...call]);
  expect(recordedCalls(trace)).toEqual([
    { tool: 'echo', input: { text: 'one' } },
    { tool: 'echo', input: { text: 'two' } },
  ]);
  expect(eventsOf(trace, 'mcp-server')).toHaveLength(1);
});

it('offers the tools of several servers in several ways: each server by its own tools', async () => {
  const program = JSON.stringify({ code: 'return await tools.echo({ text: "milk" })' });
  const lines = ['call echo {"text":"milk"}', `call run_program ${program}`, 'use files', 'call echo {"text":"bread"}'];
  const found = 'call call_tool {"name":"echo","arguments":{"text":"milk"}}';
  const folder = await toolProject({ scenario: '', script: '', files });
  const server = (log: string) => ({ command: 'node', args: [join(folder, 'server.mjs'), log] });
  const scenario = {
    name: 'Ways',
    target: { binary: 'my-tool' },
    task: [...lines, found].join('\n'),
    mcp_servers: { notes: server('notes.log'), files: server('files.log') },
    surfaces: ['all', 'search', 'code', 'few', 'mistaken'],
    subsets: { few: ['notes/echo'], mistaken: ['notes/echo', 'files/nothing'] },
    evaluators: [
      { type: 'tool-called', config: { tool: 'notes/echo', args: { text: 'milk' } } },
      { type: 'tool-called', config: { tool: 'files/echo', args: { text: 'bread' } } },
    ],
  };
  await writeFiles(folder, {
    'scenario.yaml': JSON.stringify(scenario),
    'assay.config.yaml': configOf(folder, 'none'),
  });
  const { trials } = await runTool(folder);
  const arms = await Promise.all(
    trials.map(async (trial) => {
      const trace = await traceOf(folder, trial);
      const answered = new Set(eventsOf(trace, 'tool-result').flatMap(({ callId, result }) => (result ? callId : [])));
      const calls = eventsOf(trace, 'tool-call').filter(({ callId }) => answered.has(callId));
      const offered = eventsOf(trace, 'mcp-server').map(({ label, surface }) => `${label} ${surface}`);
      const { outcome, fault, variant } = trial;
      return [variant.surface, offered, calls.map(({ server: of, tool }) => `${of}/${tool}`), fault?.code ?? outcome];
    }),
  );
  const both = (surface: string | undefined) => [`notes ${surface}`, `files ${surface}`];
  expect(arms).toEqual([
    ['all', both(undefined), ['notes/echo', 'files/echo'], 'pass'],
    ['search', both('search'), ['notes/echo', 'files/echo', 'files/echo'], 'pass'],
    ['code', both('code'), ['notes/echo', 'notes/echo', 'files/echo'], 'pass'],
    ['few', both('few'), ['notes/echo'], 'fail'],
    ['mistaken', both('mistaken'), ['notes/echo'], 'FILE_INVALID'],
  ]);
});

interface WorkflowTrial extends ToolTrial {
  readonly workflow: readonly { readonly metric: string; readonly passed: boolean; readonly score: number }[];
}

interface WorkflowRun {
  readonly exitCode: number | null;
  readonly trial: WorkflowTrial;
  readonly trials: readonly WorkflowTrial[];
  readonly trace: Trace;
  readonly folder: string;
  readonly serverLog: string;
}

async function runWorkflow(workflow: object, more: object = {}, flags: readonly string[] = []): Promise<WorkflowRun> {
  const folder = await temporaryFolder(files);
  const serverLog = join(folder, 'server.log');
  // It is still there when its input ends, and does not end when it is asked to.
  const server = { transport: 'stdio', command: 'node', args: ['server.mjs', serverLog, 'stubborn'] };
  await writeFiles(folder, {
    'assay.config.yaml': configOf(folder, 'none'),
    'mcp.json': JSON.stringify({ server, workflows: [{ name: 'Talk', ...workflow }], ...more }),
  });
  const run = await assay(['run', 'mcp.json', '--json', '--agent', 'mine', ...flags], { cwd: folder });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const { trials } = JSON.parse(run.stdout) as { trials: [WorkflowTrial] };
  return {
    exitCode: run.exitCode,
    trial: trials[0],
    trials,
    trace: await traceOf(folder, trials[0]),
    folder,
    serverLog,
  };
}

describe('a workflow that an agent drives', () => {
  it('is judged by what the server saw', async () => {
    const { trial, trace, exitCode, serverLog } = await runWorkflow({
      steps: [
        { user: 'call echo {"text":"milk"}', expectTools: ['echo'], expectedState: 'milk' },
        { user: 'call repeat {"text":"go","times":2}', expectTools: ['repeat'], expectedState: 'gogo' },
      ],
    });
    expect(trial.fault).toBeUndefined();
    expect(trial).toMatchObject({ outcome: 'pass', interaction: null });
    expect(trial.workflow).toMatchObject([
      { metric: 'End-to-End Success', passed: true },
      { metric: 'Tool Invocation Order', passed: true },
      { metric: 'Tool Call Health', passed: true },
    ]);
    expect(exitCode).toBe(0);
    expect(recordedCalls(trace)).toEqual(await serverCalls(serverLog));
    expect(eventsOf(trace, 'turn')).toMatchObject([{ number: 1 }]);
    expect(eventsOf(trace, 'command')).toEqual([]);
    expect(processesWith(trial.trialId)).toEqual([]);
  });

  it('fails for a call that fails and tools in another order', async () => {
    const { trial, exitCode } = await runWorkflow({
      steps: [{ user: 'call fail', expectTools: ['echo'], expectedState: 'milk' }],
    });
    expect(trial).toMatchObject({
      outcome: 'fail',
      workflow: [{ passed: false }, { passed: false }, { passed: false }],
    });
    expect(exitCode).toBe(1);
  });

  it('is not judged when the server dies in the middle of it', async () => {
    const { trial, trace, exitCode } = await runWorkflow({ steps: [{ user: 'call die' }] });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'MCP_SERVER_DIED', blame: 'target' } });
    expect(recordedCalls(trace)).toEqual([{ tool: 'die', input: {} }]);
    expect(exitCode).toBe(3);
  });

  it('keeps what was seen when the proxy is killed, and leaves nothing running', async () => {
    const { trial, trace, serverLog } = await runWorkflow({
      steps: [{ user: 'call echo {"text":"milk"}' }, { user: 'end proxy' }],
    });
    expect(trial.outcome).toBe('pass');
    expect(recordedCalls(trace)).toEqual(await serverCalls(serverLog));
    expect(processesWith(trial.trialId)).toEqual([]);
  });

  it('ends when its time is up, with the agent, the proxy and the server', async () => {
    const { trial, trace, serverLog } = await runWorkflow(
      { steps: [{ user: 'call echo {"text":"milk"}', expectedState: 'milk' }, { user: 'end never' }] },
      {},
      ['--timeout-secs', '3'],
    );
    expect(eventsOf(trace, 'agent-ended')).toMatchObject([{ timedOut: true }]);
    expect(recordedCalls(trace)).toEqual(await serverCalls(serverLog));
    expect(processesWith(trial.trialId)).toEqual([]);
  });

  it('can be compared in several wordings', async () => {
    const { trials, folder, serverLog } = await runWorkflow(
      { steps: [{ user: 'call say {"text":"milk"}', expectTools: ['echo'], expectedState: 'milk' }] },
      { wordings: { short: { echo: { name: 'say' } } } },
    );
    const outcomes = trials.map(({ variant, outcome }) => [variant.description, outcome]);
    expect(outcomes).toEqual([
      ['original', 'fail'],
      ['short', 'pass'],
    ]);
    const traces = await Promise.all(trials.map((trial) => traceOf(folder, trial)));
    const calls = traces.map(recordedCalls);
    expect(calls).toEqual([[{ tool: 'say', input: { text: 'milk' } }], [{ tool: 'echo', input: { text: 'milk' } }]]);
    expect(await serverCalls(serverLog)).toEqual(expect.arrayContaining(calls.flat()));
  });

  it('can be compared with the tools offered in several ways', async () => {
    const program = { code: 'return await tools.echo({ text: "milk" })' };
    const lines = [
      'call find_tools {"query":"repeat a text"}',
      'call call_tool {"name":"echo","arguments":{"text":"milk"}}',
      `call run_program ${JSON.stringify(program)}`,
      'call echo {"text":"milk"}',
    ];
    const { trials, folder, serverLog } = await runWorkflow(
      { steps: [{ user: lines.join('\n'), expectedState: 'milk' }] },
      { surfaces: ['all', 'search', 'code', 'few'], subsets: { few: ['fail'] } },
    );
    const traces = await Promise.all(trials.map((trial) => traceOf(folder, trial)));
    const arms = trials.map(({ variant, outcome }, index) => {
      const trace = traces[index] ?? [];
      const answered = eventsOf(trace, 'tool-result').filter(({ error }) => !error).length;
      const own = eventsOf(trace, 'surface-call').map(({ tool }) => tool);
      return [variant.surface, eventsOf(trace, 'mcp-server')[0]?.surface, answered, own, outcome === 'error'];
    });
    expect(arms).toEqual([
      ['all', undefined, 1, [], false],
      ['search', 'search', 2, ['find_tools'], false],
      ['code', 'code', 2, ['run_program'], false],
      ['few', 'few', 0, [], false],
    ]);
    const reached = traces.flatMap((trace) => recordedCalls(trace).filter(isEcho));
    expect((await serverCalls(serverLog)).filter(isEcho)).toHaveLength(5);
    expect(reached).toHaveLength(6);
  });
});

function isEcho(call: unknown): boolean {
  return (call as { tool: string }).tool === 'echo';
}
