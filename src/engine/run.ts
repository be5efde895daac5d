import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Emit } from '../domain/run-event.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { Evaluator } from '../evaluators/evaluator.ts';
import type { Judging } from '../judge/judging.ts';
import type { FinishedTrial, Store } from '../store/store.ts';
import { Evaluating } from './evaluate.ts';
import { execute } from './execute.ts';
import type { Keeping, TrialReuse } from './keeping.ts';
import { AttemptLimits } from './limits.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { plan } from './plan.ts';
import { recordOf } from './record.ts';
import { withoutStored } from './resume.ts';
import { type RunControl, storeTrials } from './store-trials.ts';
import type { TargetPool } from './target-pool.ts';

/** The concrete parts that a run is made of; the engine knows them only by their contracts. */
export interface EngineParts {
  readonly store: Store;
  readonly targets: TargetPool;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly judging: Judging;
  readonly keeping: Keeping;
  /** Undefined: everything is tried anew. */
  readonly reuse?: TrialReuse | undefined;
}

/**
 * Runs every trial of the plan that the store does not have yet, and leaves the verdicts in the store. This is the
 * contents page of the system: plan, execute, evaluate, record.
 */
export async function run(
  header: RunHeader,
  scenarios: readonly Scenario[],
  parts: EngineParts,
  control: RunControl,
): Promise<RunSummary> {
  const { store, targets, keeping } = parts;
  const { emit, signal } = control;
  const limits = new AttemptLimits(signal);
  const alone = new OneAtATime();
  const evaluating = new Evaluating(parts.evaluators, parts.judging, signal);
  const trials = await withoutStored(plan(header.runId, scenarios), header, store, signal);

  return storeTrials(header, trials, store, control, async (trial) => {
    emit({ type: 'trial-started', trialId: trial.trialId, scenario: trial.scenario.name, caseId: trial.case.caseId });
    const isAgentDriven = targets.isAgentDriven(trial.scenario);
    const known = isAgentDriven ? await parts.reuse?.find(trial) : undefined;
    if (known) return known;
    const execution = await alone.run(trial.scenario.shares, () => execute(trial, targets, limits, evaluating));
    if (execution === 'interrupted') return undefined;
    const findings = await evaluating.conclude(trial, execution);
    const finished = keeping.redact(recordOf(trial, execution, findings));
    if (isAgentDriven) await leaveBehind(trial, finished, parts, emit);
    return finished;
  });
}

/** What cannot be left behind changes no verdict: the record is in the store. */
async function leaveBehind(
  trial: Trial,
  finished: FinishedTrial,
  { keeping, reuse }: EngineParts,
  emit: Emit,
): Promise<void> {
  try {
    await keeping.leaveArtifacts(trial, finished);
    await reuse?.keep(trial, finished);
  } catch (error) {
    emit({ type: 'warning', message: `The artifacts of ${trial.trialId} could not be written: ${String(error)}` });
  }
}
