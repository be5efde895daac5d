import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { normalisedTrace } from '../../src/testing/support/normalised-trace.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const key = 'sk-of-the-recorded-provider-0123456789';
const basePaths = { chat: '/v1', responses: '/v1', messages: '', gemini: '' } as const;
type Api = keyof typeof basePaths;
const stopped = 'http://127.0.0.1:9';
const usage = { input: 1_000, output: 100 };

/** The tool is called by an absolute path of the work directory, which comes in many pieces. */
function script(more: ScriptSource['rules'] = []): ScriptSource {
  const command = 'tasks list | tee {{match.1}}/list.txt';
  return {
    apiKey: key,
    rules: [
      ...more,
      {
        when: { turn: 1, last: '/Work in (\\S+)\\. HOME/' },
        toolCalls: [{ name: 'run', input: { command } }],
        chunks: 40,
        usage,
      },
      { when: { turn: 2 }, reply: 'The list is there.', chunks: 5, usage },
    ],
  };
}

interface Recorded {
  readonly trials: readonly (ToolTrial & { readonly usage?: object | null })[];
  readonly exitCode: number | null;
  readonly stderr: string;
  traceOf(trial: ToolTrial | undefined): Promise<Trace>;
}

/** A project of its own for every run: nothing but the recordings is shared. */
async function runAgent(
  api: Api,
  url: string,
  flags: readonly string[],
  { tool = 'echo "3 tasks, at $(date +%s)"', scenario = {}, agent = {}, env = {} } = {},
): Promise<Recorded> {
  const folder = await temporaryFolder({
    'agent.mjs': await readFile(new URL('../fixtures/agent-replay/agent.mjs', import.meta.url)),
    'bin/tasks': `#!/bin/sh\n${tool}\n`,
    'assay.config.yaml': JSON.stringify({
      agents: {
        mine: {
          kind: 'command',
          command: `${process.execPath} ${'${PROJECT}'}/agent.mjs`,
          format: 'text',
          baseUrl: `${url}${basePaths[api]}`,
          ...(url === stopped ? {} : { apiKey: key }),
          env: { API: api, ...env },
          ...agent,
        },
      },
      models: { prices: { 'test-model': { inputPer1M: 1, outputPer1M: 10 } } },
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Tasks',
      target: { binary: './bin/tasks' },
      task: { prompt: 'List the tasks.' },
      evaluation: { gates: [{ type: 'file_contains', path: 'list.txt', substring: '3 tasks' }] },
      ...scenario,
    }),
  });
  await chmod(join(folder, 'bin/tasks'), 0o755);
  const wanted = ['--json', '--agent', 'mine', '--model', 'test-model', ...flags];
  const run = await assay(['run', 'scenario.yaml', ...wanted], { cwd: folder, env: { PROJECT: folder } });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const { trials } = JSON.parse(run.stdout) as Pick<Recorded, 'trials'>;
  const traceOf = async (trial: ToolTrial | undefined): Promise<Trace> =>
    JSON.parse((await assay(['show', trial?.trialId ?? '', '--json'], { cwd: folder })).stdout).trace;
  return { trials, exitCode: run.exitCode, stderr: run.stderr, traceOf };
}

/** Records a trial while its model runs; gives the folder of the recordings and the file of the trial. */
async function recordTrial(
  api: Api,
  more: ScriptSource['rules'] = [],
  {
    flags = [],
    env = {},
  }: { readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
) {
  await using model = await startScriptedModel(script(more));
  const folder = join(await temporaryFolder(), 'recordings');
  const run = await runAgent(api, model.url, ['--record', folder, ...flags], { env });
  const [name = ''] = readdirSync(join(folder, 'agents'));
  return { folder, run, file: join(folder, 'agents', name), name: `agents/${name}` };
}

const apis = Object.keys(basePaths) as Api[];

describe.each(apis.slice(0, repetitions({ usual: 1, inFull: apis.length })))(
  'a recorded trial of an agent that speaks %s',
  (api) => {
    it('replays without its model in another project: the same trace, the same verdict, for nothing', async () => {
      const { folder, run, file } = await recordTrial(api);
      const [first] = run.trials;
      expect(first).toMatchObject({ outcome: 'pass', usage: { inputTokens: 2_000, outputTokens: 200 } });
      expect(first?.costUsd).toBeCloseTo(0.004, 10);
      const again = await runAgent(api, stopped, ['--replay', folder]);
      expect(again.trials[0]?.fault).toBeUndefined();
      expect(again.trials).toMatchObject([{ outcome: 'pass', costUsd: 0, usage: first?.usage, isReplayed: true }]);
      expect(first).not.toHaveProperty('isReplayed');
      const [before, after] = [await run.traceOf(first), await again.traceOf(again.trials[0])];
      expect(eventsOf(before, 'model-call').map(({ isReplayed }) => isReplayed)).toEqual([false, false]);
      expect(eventsOf(after, 'model-call').map(({ isReplayed }) => isReplayed)).toEqual([true, true]);
      expect(normalisedTrace(after)).toEqual(normalisedTrace(before));
      const [{ workedIn = '-' } = {}] = eventsOf(before, 'workspace');
      const tape = readFileSync(file, 'utf8');
      expect(JSON.parse(tape)).toMatchObject({ version: 1, callCount: 2, trial: { scenario: 'Tasks', agent: 'mine' } });
      expect(tape).toContain('<assay:work>');
      expect(tape).not.toContain(key);
      expect(tape).not.toContain(workedIn);
    });
  },
);

describe('a request that was not recorded', () => {
  it('is an error that names the changed output of the tool', async () => {
    const { folder, name } = await recordTrial('chat');
    const { trials, exitCode } = await runAgent('chat', stopped, ['--replay', folder], { tool: 'echo "3 tasks left"' });
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'REPLAY_MISS', blame: 'user' } }]);
    expect(exitCode).toBe(3);
    const message = trials[0]?.fault?.message ?? '';
    expect(message).toContain(`Call 2 of mine is not in the recording ${name}.`);
    expect(message).toContain('The nearest recorded one, call 2, differs in message 3 (tool result) at content (');
    expect(message).toMatch(/"3 tasks, at <time>\\n" became "3 tasks left\\n"/);
  });

  it('names a changed prompt and a changed setting', async () => {
    const { folder } = await recordTrial('messages');
    const { trials } = await runAgent('messages', stopped, ['--replay', folder], { env: { EXTRA: ' Be quick.' } });
    expect(trials[0]?.fault).toMatchObject({
      code: 'REPLAY_MISS',
      message: expect.stringMatching(
        /call 1, differs in message 1 \(user\) at content\[0\]\.text \(.* became .*Be quick/,
      ),
    });
  });

  it('goes to the provider with --record, from there on, and is recorded', async () => {
    const { folder } = await recordTrial('chat');
    const changed = { tool: 'echo "3 tasks left"' };
    const flags = ['--record', folder, '--replay', folder];
    await using model = await startScriptedModel(script());
    const run = await runAgent('chat', model.url, flags, changed);
    expect(run.trials).toMatchObject([{ outcome: 'pass' }]);
    expect(run.trials[0]?.costUsd).toBeCloseTo(0.002, 10);
    const trace = await run.traceOf(run.trials[0]);
    expect(eventsOf(trace, 'model-call').map(({ isReplayed }) => isReplayed)).toEqual([true, false]);
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Not from the recording: Call 2 .* differs in message 3 \(tool result\)/),
    );
    expect(model.log()).toHaveLength(1);
    const again = await runAgent('chat', stopped, ['--replay', folder], changed);
    expect(again.trials).toMatchObject([{ outcome: 'pass', costUsd: 0 }]);
  });

  it('of a trial that was never recorded names the recordings that there are', async () => {
    const { folder, name } = await recordTrial('chat');
    const { trials } = await runAgent('chat', stopped, ['--replay', folder, '--repeat', '2']);
    expect(trials).toMatchObject([{ outcome: 'pass' }, { outcome: 'error', fault: { code: 'REPLAY_MISS' } }]);
    expect(trials[1]?.fault?.message).toMatch(/^There is no recording of repeat 2 of "Tasks" \(mine, test-model\) in /);
    expect(trials[1]?.fault?.message).toContain(`Recorded are: ${name.slice('agents/'.length)}.`);
  });
});

/** Tools beside the agent's own, in each of its two requests. */
const late = (...tools: readonly (readonly string[])[]) => ({ env: { LATE_TOOLS: JSON.stringify(tools) } });

describe('tools of servers that connect while the agent works', () => {
  it('may come earlier or later than recorded, but they have to come', async () => {
    const { folder, run, name } = await recordTrial('chat', [], late(['forecast'], ['forecast']));
    const again = await runAgent('chat', stopped, ['--replay', folder], late([], ['forecast']));
    expect(again.trials[0]?.fault).toBeUndefined();
    expect(again.trials).toMatchObject([{ outcome: 'pass', costUsd: 0, usage: run.trials[0]?.usage }]);
    expect(eventsOf(await again.traceOf(again.trials[0]), 'notice').map(({ message }) => message)).toEqual([
      'Call 1 offers other tools than the recorded call 1 (forecast not offered); its reply calls none of them.',
    ]);
    const without = await runAgent('chat', stopped, ['--replay', folder]);
    expect(without.trials).toMatchObject([{ outcome: 'error', fault: { code: 'REPLAY_MISS' } }]);
    expect(without.trials[0]?.fault?.message).toBe(
      `Tools of the recording ${name} were never offered in this trial: forecast.`,
    );
  });
});

describe('a recording with digests', () => {
  it('has no prompt and no definition of a tool, replays, and still names the place of a change', async () => {
    const { folder, run, file } = await recordTrial('messages', [], { flags: ['--record-digests'] });
    const tape = readFileSync(file, 'utf8');
    expect(JSON.parse(tape)).toMatchObject({ hasDigests: true, callCount: 2 });
    for (const text of ['List the tasks. Work in', '"properties"']) expect(tape).not.toContain(text);
    const again = await runAgent('messages', stopped, ['--replay', folder]);
    expect(again.trials).toMatchObject([{ outcome: 'pass', costUsd: 0 }]);
    expect(normalisedTrace(await again.traceOf(again.trials[0]))).toEqual(
      normalisedTrace(await run.traceOf(run.trials[0])),
    );
    const { trials } = await runAgent('messages', stopped, ['--replay', folder], { env: { EXTRA: ' Be quick.' } });
    expect(trials[0]?.fault).toMatchObject({
      code: 'REPLAY_MISS',
      message: expect.stringMatching(
        /call 1, differs in message 1 \(user\) at content\[0\]\.text \("<sha256 .* became "<sha256 /,
      ),
    });
  });
});

describe('a recording', () => {
  it('has the failures of the provider, and the agent meets them again', async () => {
    const { folder, run } = await recordTrial('chat', [{ times: 1, fault: { status: 429, retryAfter: 1 } }]);
    expect(run.trials).toMatchObject([{ outcome: 'pass' }]);
    const again = await runAgent('chat', stopped, ['--replay', folder]);
    const calls = eventsOf(await again.traceOf(again.trials[0]), 'model-call');
    expect(calls.map(({ status, retryOf }) => [status, retryOf])).toEqual([
      [429, undefined],
      [200, 1],
      [200, undefined],
    ]);
    expect(again.trials).toMatchObject([{ outcome: 'pass' }]);
  });

  it('of a connection that was closed is closed again', async () => {
    const { folder, run } = await recordTrial('chat', [{ when: { turn: 2 }, fault: 'reset' }]);
    expect(run.trials).toMatchObject([{ outcome: 'error', fault: { blame: 'model' } }]);
    const again = await runAgent('chat', stopped, ['--replay', folder]);
    expect(again.trials).toMatchObject([{ outcome: 'error', fault: { code: run.trials[0]?.fault?.code } }]);
    const failures = async ({ trials, traceOf }: Recorded) =>
      eventsOf(await traceOf(trials[0]), 'model-call').map(({ status, error }) => [status, error]);
    expect(await failures(again)).toEqual(await failures(run));
    expect(again.trials[0]?.costUsd).toBe(0);
  });

  it('that is cut, or lacks a call, is refused by its name', async () => {
    const { folder, file, name } = await recordTrial('chat');
    const text = readFileSync(file, 'utf8');
    const tape = JSON.parse(text);
    const damaged = [text.slice(0, text.length / 2), JSON.stringify({ ...tape, calls: tape.calls.slice(1) })];
    for (const content of damaged) {
      writeFileSync(file, content);
      const { trials } = await runAgent('chat', stopped, ['--replay', folder]);
      expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'REPLAY_UNREADABLE' } }]);
      expect(trials[0]?.fault?.message).toContain(`The recording ${name} cannot be read: `);
    }
  });
});
