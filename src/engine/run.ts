import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Store } from '../keep/store/store.ts';
import { plan } from './plan.ts';
import { withoutStored } from './resume.ts';
import { RunLease } from './run-lease.ts';
import { type RunControl, storeTrials } from './store-trials.ts';
import { type TrialParts, trialsWith } from './try-trial.ts';

/** The parts of a run: those of its trials, and the store for their records. */
export interface EngineParts extends TrialParts {
  readonly store: Store;
}

/**
 * Runs every trial of the plan that the store does not have yet, while no other process does, and leaves the verdicts
 * in the store. This is the
 * contents page of the system: plan what is missing; execute, evaluate and record each trial (`try-trial.ts`); store.
 */
export async function run(
  header: RunHeader,
  scenarios: readonly Scenario[],
  parts: EngineParts,
  control: RunControl & { readonly retriesErrors?: boolean | undefined },
): Promise<RunSummary> {
  const { store } = parts;
  await using lease = await RunLease.take(header.runId, store, control);
  if (control.retriesErrors) await store.setAsideErrors(header.runId);
  const held = { ...control, signal: lease.signal };
  const trials = await withoutStored(plan(header.runId, scenarios), header, store, lease.signal);
  return await storeTrials(
    header,
    trials,
    { store, lease, control: held, takeWaits: parts.takeWaits },
    trialsWith(parts, held),
  );
}
