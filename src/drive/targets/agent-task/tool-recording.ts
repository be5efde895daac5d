import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { PlantedAttack } from '../../../domain/attacks/attack-event.ts';
import { controlSeed } from '../../../domain/control-of-trial.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { shellQuoted } from '../../../shared/shell-words.ts';
import { shShim } from '../../interposer/sh-shim.ts';
import type { Endings } from '../../recorder/endings.ts';
import { openRecorder } from '../../recorder/open-recorder.ts';
import type { RecordedInvocation, RecordedProgram, Recorder } from '../../recorder/recorder.ts';
import { Simulation } from '../../simulation/simulation.ts';
import { controlPlan } from '../../tool-control/attack/arm-attack.ts';
import { cliControl } from '../../tool-control/cli/cli-control.ts';
import { openStandIns, type StandIns } from '../../tool-control/cli/open-stand-ins.ts';
import type { ProgramSimulator } from '../../tool-control/simulator.ts';
import type { CoveredFile } from '../../workspace/isolated-folders.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import type { AgentRun } from './agent-run.ts';
import { beforeAgent } from './run-phase.ts';

const helpTimeoutMs = 10_000;

/** The recorder in front of the tool under test, and the stand-ins behind it where the scenario controls the tool. */
export interface ToolRecording extends AsyncDisposable {
  readonly recorder: Recorder;
  /** To be put first on PATH. */
  readonly binFolders: readonly string[];
  /** Files and folders that must lie over others for the agent. */
  readonly covered: readonly CoveredFile[];
  /** To be called when the agent has ended: emits what is wrong with the records, and returns why none can be judged. */
  conclude(): Promise<AssayError | undefined>;
}

/** Puts the recorder in front of the tool under test; undefined where a task has none. */
export async function recordTool(
  run: AgentRun,
  { canCover, tier }: Isolation,
  endings: Endings,
  emit: EmitTrace,
): Promise<ToolRecording | undefined> {
  const { folder, config, program, furtherPrograms, workspace, work, trial, trace, taped } = run;
  if (!config.tool || program === undefined) return undefined;
  const recordings = join(folder.recorderFolder, 'tool');
  await mkdir(recordings, { recursive: true });
  const names = [config.tool.binary, ...config.tool.binaries].map((binary) => basename(binary));
  const programs = [program, ...furtherPrograms];
  const own = programs.map((path, index) => ({ name: names[index] ?? basename(path), program: path }));
  const plan = controlPlan(trial);
  const simulator = await simulatorOf(run, own, emit);
  const control = cliControl(plan, controlSeed(trial), emit, taped?.programs, simulator);
  for (const tool of own) taped?.learn(tool.name, tool.program);
  const tools = [...own, ...(await offeredProgram(plan?.attack, own, join(folder.recorderFolder, 'offered')))];
  if (control && tier === 'container') throw notInContainers();
  const controlled = join(folder.recorderFolder, 'control');
  if (control) await mkdir(controlled, { recursive: true });
  const standIns = control && (await openStandIns({ folder: controlled, tools, canCover, shims: work.shims, control }));
  const onInvocation = (invocation: RecordedInvocation): void => {
    const answeredBy = standIns?.calls.take(invocation);
    const at = invocation.startedAt + invocation.durationMs - trace.startedAt;
    emit({ ...commandEvent(invocation, workspace.directory), at, ...(answeredBy && { answeredBy }) });
  };
  const recorded = standIns?.programs ?? tools;
  const request = { folder: recordings, tools: recorded, canCover, endings, onInvocation, shims: work.shims };
  try {
    // Of the programs in an image, only its shell can be relied on.
    const recorder = await openRecorder(request, tier === 'container' ? shShim : undefined);
    const recording = new RecordedTool(recorder, standIns, emit);
    await rememberPath(workspace.home, [...recording.binFolders, ...new Set(programs.map(dirname))]);
    return recording;
  } catch (error) {
    await standIns?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Plays programs by their help text, which the real ones print where their mocks have none. */
async function simulatorOf(
  run: AgentRun,
  programs: readonly RecordedProgram[],
  emit: EmitTrace,
): Promise<ProgramSimulator | undefined> {
  const { trial, env, stop, context } = run;
  const mocks = (trial.scenario.control?.cliMocks ?? []).filter(({ mock }) => mock.simulate);
  const helps = new Map<string, string>();
  for (const { name, program } of programs) {
    if (!mocks.some(({ tool, mock }) => tool === name && mock.simulate?.help === undefined)) continue;
    const ask = beforeAgent(run, env.before);
    const end = await ask(`${shellQuoted(program)} --help`, { timeoutMs: helpTimeoutMs, signal: stop.signal });
    const text = `${end.stdout.text}\n${end.stderr.text}`.trim();
    if (text !== '') helps.set(name, text);
  }
  return new Simulation(trial, emit, context).ofPrograms(mocks, (tool) => helps.get(tool));
}

/** A program that an attack offers; calls never get to it, because the control answers them. */
async function offeredProgram(
  attack: PlantedAttack | undefined,
  tools: readonly RecordedProgram[],
  folder: string,
): Promise<RecordedProgram[]> {
  if (attack?.goal.kind !== 'call' || attack.goal.description === undefined) return [];
  const { tool: name } = attack.goal;
  if (tools.some((tool) => tool.name === name))
    throw new AssayError('ATTACK_UNUSABLE', `The attack at ${attack.rule} offers "${name}", which is under test.`);
  const program = join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return [{ name, program }];
}

function notInContainers(): AssayError {
  const message = 'Calls of programs cannot be controlled in containers.';
  return new AssayError('CONFIG_INVALID', message, {
    hint: 'Remove `tools` and `faults`, --record-tools and --replay-tools, or choose another `isolation`.',
  });
}

class RecordedTool implements ToolRecording {
  readonly recorder: Recorder;
  readonly binFolders: readonly string[];
  readonly covered: readonly CoveredFile[];
  readonly #standIns: StandIns | undefined;
  readonly #emit: EmitTrace;

  constructor(recorder: Recorder, standIns: StandIns | undefined, emit: EmitTrace) {
    this.recorder = recorder;
    this.binFolders = [recorder.binFolder, ...(standIns ? [standIns.binFolder] : [])];
    this.covered = [...(standIns?.coveredFirst ?? []), ...recorder.covered, ...(standIns?.coveredLast ?? [])];
    this.#standIns = standIns;
    this.#emit = emit;
  }

  async conclude(): Promise<AssayError | undefined> {
    await this.recorder.finish();
    const { problems, doubts } = this.recorder;
    for (const message of [...problems, ...(this.#standIns?.problems ?? [])])
      this.#emit({ type: 'notice', seenBy: 'recorder', message });
    for (const reason of [...doubts, ...(this.#standIns?.doubts() ?? [])])
      this.#emit({ type: 'gap', seenBy: 'recorder', channels: ['commands'], reason });
    return this.#standIns?.calls.fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.recorder[Symbol.asyncDispose]();
    await this.#standIns?.[Symbol.asyncDispose]();
  }
}

/** Login shells replace PATH, and read these files after that; a HOME that has its own keeps them. */
async function rememberPath(home: string, folders: readonly string[]): Promise<void> {
  const path = folders.map(shellQuoted).join(':');
  for (const name of ['.profile', '.zprofile']) {
    await writeFile(join(home, name), `PATH=${path}:"$PATH"\nexport PATH\n`, { flag: 'wx' }).catch(() => undefined);
  }
}

function commandEvent({ startedAt: _startedAt, cwd, ...invocation }: RecordedInvocation, workDirectory: string) {
  const inside = relative(workDirectory, cwd);
  const isOutside = inside.startsWith('..');
  return { type: 'command', seenBy: 'recorder', ...invocation, cwd: isOutside ? cwd : inside || '.' } as const;
}
