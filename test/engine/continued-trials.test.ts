import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const key = 'sk-of-the-paid-provider-0123456789';
const basePaths = { messages: '', chat: '/v1', responses: '/v1', gemini: '' } as const;
type Api = keyof typeof basePaths;
const apis = Object.keys(basePaths) as Api[];
const usage = { input: 1_000, output: 100 };
const usdPerCall = 0.002;

/** Four calls; the tool of the second one usually waits until it is released. The first names the work directory. */
function script(second = 'tasks wait', first: ScriptSource['rules'] = []): ScriptSource {
  const run = (command: string) => [{ name: 'run', input: { command } }];
  return {
    apiKey: key,
    rules: [
      ...first,
      {
        when: { turn: 1, last: '/Work in (\\S+)\\. HOME/' },
        toolCalls: run('cd {{match.1}} && tasks list'),
        chunks: 9,
        usage,
      },
      { when: { turn: 2 }, toolCalls: run(second), chunks: 3, usage },
      { when: { turn: 3 }, toolCalls: run('tasks list > list.txt'), usage },
      { when: { turn: 4 }, reply: 'The list is there.', chunks: 5, usage },
    ],
  };
}

interface Project {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  configure(env: Readonly<Record<string, string>>): void;
  release(): void;
}

async function projectOf(
  api: Api,
  model: ScriptedModel,
  agentEnv: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const folder = await temporaryFolder({
    'agent.mjs': await readFile(new URL('../fixtures/agent-replay/agent.mjs', import.meta.url)),
    'bin/tasks': `#!/bin/sh
if [ "$1" = wait ]; then touch "$HOLD/began"; while [ ! -e "$HOLD/go" ]; do sleep 0.05; done; fi
echo '3 tasks'
`,
    'scenario.yaml': JSON.stringify({
      name: 'Tasks',
      target: { binary: './bin/tasks' },
      task: { prompt: 'List the tasks.' },
      evaluation: { gates: [{ type: 'file_contains', path: 'list.txt', substring: '3 tasks' }] },
    }),
  });
  await chmod(join(folder, 'bin/tasks'), 0o755);
  const configure = (env: Readonly<Record<string, string>>): void => {
    const mine = {
      kind: 'command',
      command: `${process.execPath} ${'${PROJECT}'}/agent.mjs`,
      format: 'text',
      baseUrl: `${model.url}${basePaths[api]}`,
      apiKey: key,
      env: { API: api, HOLD: folder, ...env },
    };
    const models = { prices: { 'test-model': { inputPer1M: 1, outputPer1M: 10 } } };
    writeFileSync(join(folder, 'assay.config.yaml'), JSON.stringify({ isolation: 'none', agents: { mine }, models }));
  };
  configure(agentEnv);
  const release = (): void => writeFileSync(join(folder, 'go'), '');
  onTestFinished(release);
  return { folder, env: { PROJECT: folder }, configure, release };
}

const runArguments = ['run', 'scenario.yaml', '--json', '--agent', 'mine', '--model', 'test-model'];

/** Ends the run while the tool of the second call works. */
async function interrupted({ folder, env, release }: Project, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const child = startAssay(runArguments, { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const end = ended(child);
  await expect.poll(() => existsSync(join(folder, 'began')), { timeout: 30_000 }).toBe(true);
  child.kill(signal);
  await end;
  release();
}

interface Ended {
  readonly trial: ToolTrial & {
    readonly continuation?: object;
    readonly durationMs: number | null;
    readonly usage?: object;
  };
  readonly trace: Trace;
  readonly shownTrial: string;
  readonly shownRun: string;
}

async function runToEnd({ folder, env }: Project, args: readonly string[]): Promise<Ended> {
  const run = await assay(args, { cwd: folder, env });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const [trial] = (JSON.parse(run.stdout) as { readonly trials: Ended['trial'][] }).trials;
  if (!trial) throw new Error(run.stdout);
  const show = async (...what: readonly string[]) => (await assay(['show', ...what], { cwd: folder })).stdout;
  const { trace } = JSON.parse(await show(trial.trialId, '--json')) as Pick<Ended, 'trace'>;
  const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');
  return { trial, trace, shownTrial: inOneLine(await show(trial.trialId)), shownRun: inOneLine(await show('latest')) };
}

const resume = ['run', '--resume', 'latest', '--json'];

/** The tapes of trials that have no record yet. */
function tapesIn({ folder }: Project): string[] {
  const running = join(folder, '.assay/running');
  if (!existsSync(running)) return [];
  return readdirSync(running, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(running, name));
}

describe.each(apis.slice(0, repetitions({ usual: 1, inFull: apis.length })))(
  'a killed trial of an agent that speaks %s',
  (api) => {
    it('goes on without a second request for what its model has replied', async () => {
      await using model = await startScriptedModel(script());
      const project = await projectOf(api, model);
      await interrupted(project);
      expect(model.log()).toHaveLength(2);
      const [tape = ''] = tapesIn(project);
      expect(statSync(tape).mode & 0o777).toBe(0o600);
      expect(readFileSync(tape, 'utf8')).toContain('<assay:work>');
      expect(readFileSync(tape, 'utf8')).not.toContain(key);

      const { trial, trace, shownRun, shownTrial } = await runToEnd(project, resume);
      expect(model.log()).toHaveLength(4);
      expect(trial.fault).toBeUndefined();
      const spent = { usage: { inputTokens: 4_000, outputTokens: 400 }, outcome: 'pass' };
      expect(trial).toMatchObject({ ...spent, durationMs: null, continuation: { calls: 2 } });
      expect(trial.costUsd).toBeCloseTo(4 * usdPerCall, 10);
      expect(trial).not.toHaveProperty('isReplayed');
      expect(eventsOf(trace, 'model-call').map(({ isTaped = false }) => isTaped)).toEqual([true, true, false, false]);
      for (const shown of [shownRun, shownTrial]) expect(shown).toContain('Went on from a tape of 2 model calls');
      expect(tapesIn(project)).toEqual([]);

      const whole = await projectOf(api, model);
      whole.release();
      const unkilled = await runToEnd(whole, runArguments);
      expect(unkilled.trial).toMatchObject(spent);
      expect(unkilled.trial.costUsd).toBe(trial.costUsd);
      expect(unkilled.trial).not.toHaveProperty('continuation');
    });
  },
);

/** Settings of the agent in both processes, and a reply of its model. */
const unrepeatable = [
  [
    'an agent with a random id',
    { RANDOM: 'yes' },
    {},
    undefined,
    /call 2 of the agent differs .* message \d \(tool result\)/,
  ],
  ['a reply with a secret', {}, {}, `tasks wait ${key}`, /a secret was taken out of a reply/],
  ['another setting of the agent', {}, { EXTRA: ' Be quick.' }, undefined, /the agent or its settings have changed/],
] as const;

it.each(unrepeatable.slice(0, repetitions({ usual: 1, inFull: unrepeatable.length })))(
  'a trial that cannot be repeated starts from the beginning and says so: %s',
  async (_what, agentEnv, changed, second, reason) => {
    await using model = await startScriptedModel(script(second));
    const project = await projectOf('chat', model, agentEnv);
    await interrupted(project);
    project.configure({ ...agentEnv, ...changed });
    const { trial, shownRun, shownTrial } = await runToEnd(project, resume);
    expect(model.log()).toHaveLength(2 + 4);
    const lost = { calls: 2, costUsd: 2 * usdPerCall };
    expect(trial.continuation).toMatchObject({ ...lost, restarted: expect.stringMatching(reason) });
    expect(trial).toMatchObject({ outcome: 'pass', durationMs: expect.any(Number) });
    expect(trial.costUsd).toBeCloseTo(4 * usdPerCall, 10);
    for (const shown of [shownRun, shownTrial]) {
      expect(shown).toContain('Started from the beginning, after its process had ended: ');
      expect(shown).toContain('The 2 model calls ($0.0040) of the attempt before are not a part of it.');
    }
    expect(tapesIn(project)).toEqual([]);
    const artifacts = readdirSync(join(project.folder, '.assay/artifacts'));
    expect(artifacts.filter((name) => name.includes('Tasks'))).toHaveLength(1);
  },
);

describe('the tape of a trial', () => {
  it('has the call that was on its way, which is sent again and may be billed twice', async () => {
    const neverAnswered = { when: { turn: 2 }, times: 1, reply: 'Never', delayMs: 600_000 };
    let kill = (): void => undefined;
    await using model = await startScriptedModel(script('tasks list', [neverAnswered]), {
      onRequest: ({ number }) => void (number === 2 && kill()),
    });
    const project = await projectOf('chat', model);
    const child = startAssay(runArguments, { cwd: project.folder, env: project.env });
    kill = () => void child.kill('SIGKILL');
    await ended(child);
    const { trial, shownRun } = await runToEnd(project, resume);
    expect(model.log()).toHaveLength(2 + 3);
    expect(trial).toMatchObject({ outcome: 'pass', continuation: { calls: 1, underWay: 1 } });
    expect(trial.costUsd).toBeCloseTo(4 * usdPerCall, 10);
    expect(shownRun).toContain('1 call without a reply may be billed twice.');
  });

  it('stays after Ctrl-C, and goes with its run', async () => {
    await using model = await startScriptedModel(script());
    const project = await projectOf('chat', model);
    await interrupted(project, 'SIGINT');
    expect(tapesIn(project)).toHaveLength(1);
    await assay(['store', 'clean', '--keep', '0'], { cwd: project.folder });
    expect(tapesIn(project)).toEqual([]);
  });
});
