import type { Fault } from '../domain/outcome.ts';
import type { Emit, RunEvent, RunHeader, RunWait } from '../domain/run.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Evaluator, EvaluatorServices } from '../score/evaluators/evaluator.ts';
import type { Judging } from '../score/judge/judge.ts';
import { EvaluatorRunner } from './evaluate.ts';
import { execute } from './execute.ts';
import type { Execution } from './execution.ts';
import type { Evaluation } from './findings.ts';
import { LastActions } from './last-actions.ts';
import { AttemptLimits } from './limits.ts';
import { keptTrial, recordOf } from './record.ts';
import type { RecordSink, ReusableTrial, TrialReuse } from './record-sink.ts';
import { type HooksPlace, notBegun, type RunHooks } from './run-hooks.ts';
import type { RunPins } from './run-pins.ts';
import type { TargetPool } from './target-pool.ts';

/** Lets work that shares something wait for its turn, in the order in which it comes. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Work without a name shares nothing and begins at once. */
  run<Result>(shared: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (shared === undefined) return work();
    const before = this.#last.get(shared) ?? Promise.resolve();
    const turn = before.then(work);
    this.#last.set(
      shared,
      turn.catch(() => undefined),
    );
    return turn;
  }
}

/** The concrete parts that a trial is made of; the engine knows them only by their contracts. */
export interface TrialParts {
  readonly targets: TargetPool;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly judging: Judging;
  readonly services: EvaluatorServices;
  readonly recordSink: RecordSink;
  /** Changes the spending limit; absent where there is none. */
  setBudget?(maxUsd: number): void;
  /** Waits for rate limits since it was last called. */
  takeWaits?(): Promise<readonly RunWait[]>;
  /** Absent where the project has no hooks. */
  openHooks?(run: RunHeader, place: HooksPlace): Promise<RunHooks>;
  /** Undefined: every trial runs. */
  readonly reuse?: TrialReuse | undefined;
}

/** Receives events of trials, and interrupts them. */
interface TrialControl {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly hooks?: RunHooks | undefined;
  readonly pins: RunPins;
}

/** Tries a trial; undefined when it was interrupted. */
export type TryTrial = (trial: Trial) => Promise<FinishedTrial | undefined>;

/** The steps of every trial: execute, evaluate, record, redact, write artifacts. */
export function trialsWith(parts: TrialParts, { signal, emit, hooks, pins }: TrialControl): TryTrial {
  const { targets, recordSink } = parts;
  const limits = new AttemptLimits(signal);
  const alone = new OneAtATime();
  const evaluatorRunner = new EvaluatorRunner(parts.evaluators, parts.judging, parts.services, signal);
  const warn = (message: string): void => emit({ type: 'warning', message });
  const actions = new LastActions(emit, recordSink.redactText);

  const tryTrial: TryTrial = async (trial) => {
    emit(startOf(trial));
    const isAgentDriven = targets.isAgentDriven(trial.scenario);
    const reusable = isAgentDriven ? await parts.reuse?.open(trial, warn) : undefined;
    if (reusable?.kept) return reusable.kept;
    const attempt = (): Promise<Execution | 'interrupted'> => execute(trial, targets, limits, evaluatorRunner, actions);
    const finish = async (executed: Execution | 'interrupted'): Promise<FinishedTrial | undefined> => {
      if (executed === 'interrupted') return undefined;
      const execution = pins.concern(executed) ? await pins.checked(trial, executed) : executed;
      actions.enter(trial.trialId, 'is evaluated');
      const findings = await concluded(trial, execution, evaluatorRunner, warn);
      if (findings === 'interrupted') return undefined;
      const record = recordOf(trial, execution, findings, evaluatorRunner.spentOnJudge(trial));
      const finished = keptTrial(trial, record, recordSink);
      if (isAgentDriven) await writeArtifacts(trial, finished, recordSink, reusable, warn);
      return finished;
    };
    const { shares } = trial.scenario;
    if (!hooks) return finish(await alone.run(shares, attempt));
    const between = async (fault: Fault | undefined) => finish(fault ? notBegun(fault) : await attempt());
    return alone.run(shares, () => hooks.around(trial, between));
  };
  return (trial) => tryTrial(trial).finally(() => actions.end(trial.trialId));
}

/** The event with which a trial begins. */
export function startOf({ trialId, scenario, case: { caseId }, variant, repeat }: Trial): RunEvent {
  return { type: 'trial-started', trialId, scenario: scenario.name, caseId, variant, repeat };
}

/** Evaluates a trial, then has its work kept; work that cannot be kept changes no verdict. */
async function concluded(
  trial: Trial,
  execution: Execution,
  evaluatorRunner: EvaluatorRunner,
  warn: (message: string) => void,
): Promise<Evaluation | 'interrupted'> {
  const { settleWork } = execution;
  if (!settleWork) return evaluatorRunner.conclude(trial, execution);
  try {
    return await evaluatorRunner.conclude(trial, execution);
  } finally {
    await settleWork().catch((error: Error) => warn(error.message));
  }
}

/** Artifacts that cannot be written change no verdict: the record is in the store. */
async function writeArtifacts(
  trial: Trial,
  finished: FinishedTrial,
  recordSink: RecordSink,
  reusable: ReusableTrial | undefined,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await recordSink.leaveArtifacts(trial, finished);
    await reusable?.keep(finished);
  } catch (error) {
    warn(`The artifacts of ${trial.trialId} could not be written: ${String(error)}`);
  }
}
