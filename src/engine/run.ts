import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import { RunLease } from '../keep/store/run-lease.ts';
import type { Store } from '../keep/store/store.ts';
import { LiveControls } from './live-controls.ts';
import { plan } from './plan.ts';
import { withoutStored } from './resume.ts';
import type { Round } from './run-feature.ts';
import { RunFeatures } from './run-features.ts';
import { concludeRun, type RunControl, storedSummary, storeTrials } from './store-trials.ts';
import { type TrialParts, trialsWith } from './try-trial.ts';

/** Workers of other processes that run the trials of a run, and end the run when nothing is left. */
export interface Workers {
  /** How many trials they run at a time. */
  concurrency(): Promise<number>;
  /** Resolves when the run is over, or once all trials wait for workers if the run is detached. */
  perform(trials: AsyncIterable<Trial>, features: RunFeatures, signal: AbortSignal): Promise<void>;
}

/** The parts of a run: those of its trials, and the store for their records. */
export interface EngineParts extends TrialParts {
  readonly store: Store;
  /** Absent: this process runs the trials. */
  readonly workers?: Workers | undefined;
}

/**
 * Runs every trial of the plan that the store does not have yet, while no other process does, and leaves the verdicts
 * in the store. This is the contents page of the system: plan what is missing; execute, evaluate and record each trial
 * (`try-trial.ts`); store. What a run can do beside that are its features (`run-feature.ts`).
 */
export async function run(
  header: RunHeader,
  scenarios: readonly Scenario[],
  parts: EngineParts,
  control: RunControl & { readonly retriesErrors?: boolean | undefined },
): Promise<RunSummary> {
  const { store, workers, setBudget } = parts;
  const { runId } = header;
  const now = steadyClock(header.startedAt);
  await using lease = await RunLease.take(runId, store, { signal: control.signal, isShared: workers !== undefined });
  const { signal } = lease;
  if (control.retriesErrors) await store.setAsideErrors(runId);
  using live = await LiveControls.open({ ...control, signal, runId, store, setBudget });
  const role = workers ? 'coordinator' : 'alone';
  await using features = await RunFeatures.open(parts.openFeatures, {
    ...control,
    header,
    scenarios,
    store,
    signal,
    role,
  });
  const { emit } = features;
  const fault = await features.begin();
  const shared = fault ? undefined : workers;
  const tryTrial = trialsWith(parts, features, signal);
  let round = await features.nextRound();
  const trials = () => withoutStored(inRound(plan(runId, scenarios), round), header, store, signal);
  const perform = (missing: AsyncIterableIterator<Trial>) =>
    shared
      ? shared.perform(missing, features, signal)
      : storeTrials(features.whileAllowed(missing), { store, emit, room: live }, tryTrial);

  const { alreadyStored, missing } = await trials();
  const concurrency = shared ? await shared.concurrency() : control.concurrency;
  emit({ type: 'run-started', run: (await store.findRun(runId)) ?? header, alreadyStored, concurrency });
  await perform(missing);
  while (!shared && !signal.aborted) {
    if (await live.takeRequeue()) {
      const again = await trials();
      emit({ type: 'trials-requeued', count: (round?.planned ?? header.planned) - again.alreadyStored });
      await perform(again.missing);
    } else {
      round = features.hasRounds ? await features.nextRound() : undefined;
      if (!round) break;
      await perform((await trials()).missing);
    }
  }

  await features.end(async () => (await storedSummary(header, store)).outcome);
  if (!shared) await lease.end(signal.aborted ? 'interrupted' : 'finished', now());
  return concludeRun(header, store, emit);
}

/** The time since now by a clock that cannot be set; never before the run began. */
function steadyClock(startedAt: number): () => number {
  const [beganAt, beganMs] = [Math.max(Date.now(), startedAt), performance.now()];
  return () => beganAt + Math.round(performance.now() - beganMs);
}

function inRound(trials: AsyncIterable<Trial>, round: Round | undefined): AsyncIterable<Trial> {
  return round ? included(trials, round) : trials;
}

async function* included(trials: AsyncIterable<Trial>, round: Round): AsyncGenerator<Trial, void> {
  for await (const trial of trials) if (round.includes(trial)) yield trial;
}
