import type { Fault } from '../domain/outcome.ts';
import type { RunEvent } from '../domain/run.ts';
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
import { OneAtATime } from './one-at-a-time.ts';
import { keptTrial, recordOf } from './record.ts';
import type { RecordSink } from './record-sink.ts';
import { notBegun, type OpenFeatures } from './run-feature.ts';
import type { RunFeatures } from './run-features.ts';
import type { TargetPool } from './target-pool.ts';

/** The concrete parts that a trial is made of; the engine knows them only by their contracts. */
export interface TrialParts {
  readonly targets: TargetPool;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly judging: Judging;
  readonly services: EvaluatorServices;
  readonly recordSink: RecordSink;
  /** Changes the spending limit; absent where there is none. */
  setBudget?(maxUsd: number): void;
  /** Absent: the run has none. */
  readonly openFeatures?: OpenFeatures | undefined;
}

/** Tries a trial; undefined when it was interrupted. */
export type TryTrial = (trial: Trial) => Promise<FinishedTrial | undefined>;

/** The steps of every trial, within the features of its run: execute, evaluate, record, redact, write artifacts. */
export function trialsWith(parts: TrialParts, features: RunFeatures, signal: AbortSignal): TryTrial {
  const { targets, recordSink } = parts;
  const { emit, prepared } = features;
  const limits = new AttemptLimits(signal);
  const turns = new OneAtATime();
  const evaluatorRunner = new EvaluatorRunner(parts.evaluators, parts.judging, parts.services, signal);
  const warn = (message: string): void => emit({ type: 'warning', message });
  const actions = new LastActions(emit, recordSink.redactText);
  const attempt = (trial: Trial): Promise<Execution | 'interrupted'> => {
    const execution = async () => {
      const executed = await execute(trial, targets, limits, evaluatorRunner, actions, prepared);
      // Within the turn: a feature may look at what trials share.
      return executed === 'interrupted' ? executed : features.check(trial, executed);
    };
    return features.holdTurn ? execution() : turns.run(trial.scenario.shares, execution);
  };
  const perform = async (trial: Trial, fault: Fault | undefined): Promise<FinishedTrial | undefined> => {
    const execution = await (fault ? features.check(trial, notBegun(fault)) : attempt(trial));
    if (execution === 'interrupted') return undefined;
    actions.enter(trial.trialId, 'is evaluated');
    const evaluation = execution.settleWork
      ? concludedAndSettled(trial, execution, execution.settleWork, evaluatorRunner, warn)
      : evaluatorRunner.conclude(trial, execution);
    const findings = evaluation instanceof Promise ? await evaluation : evaluation;
    if (findings === 'interrupted') return undefined;
    const record = recordOf(trial, execution, findings, evaluatorRunner.spentOnJudge(trial));
    const finished = keptTrial(trial, record, recordSink);
    if (targets.isAgentDriven(trial.scenario)) await writeArtifacts(trial, finished, recordSink, warn);
    return finished;
  };
  return async (trial) => {
    emit(startOf(trial));
    try {
      return await features.around(trial, (fault) => perform(trial, fault), turns);
    } finally {
      actions.end(trial.trialId);
    }
  };
}

/** The event with which a trial begins. */
export function startOf({ trialId, scenario, case: { caseId }, variant, repeat }: Trial): RunEvent {
  return { type: 'trial-started', trialId, scenario: scenario.name, caseId, variant, repeat };
}

/** Evaluates a trial, then has its work kept; work that cannot be kept changes no verdict. */
async function concludedAndSettled(
  trial: Trial,
  execution: Execution,
  settleWork: NonNullable<Execution['settleWork']>,
  evaluatorRunner: EvaluatorRunner,
  warn: (message: string) => void,
): Promise<Evaluation | 'interrupted'> {
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
  warn: (message: string) => void,
): Promise<void> {
  await recordSink.leaveArtifacts(trial, finished).catch((error: unknown) => {
    warn(`The artifacts of ${trial.trialId} could not be written: ${String(error)}`);
  });
}
