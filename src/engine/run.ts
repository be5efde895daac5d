import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Store } from '../keep/store/store.ts';
import { LiveControls } from './live-controls.ts';
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
  const { store, takeWaits, setBudget } = parts;
  const { runId } = header;
  await using lease = await RunLease.take(runId, store, control);
  if (control.retriesErrors) await store.setAsideErrors(runId);
  const held = { ...control, signal: lease.signal };
  using live = await LiveControls.open({ ...held, runId, store, setBudget });
  await using hooks = await parts.openHooks?.(header, lease);
  await hooks?.beforeRun();
  const trials = () => withoutStored(plan(runId, scenarios), header, store, lease.signal);
  const requeued = async () => {
    if (lease.signal.aborted || !(await live.takeRequeue())) return undefined;
    const { alreadyStored, missing } = await trials();
    control.emit({ type: 'trials-requeued', count: header.planned - alreadyStored });
    return missing;
  };
  const storing = { store, lease, control: held, takeWaits, live, hooks };
  return await storeTrials(header, await trials(), storing, trialsWith(parts, { ...held, hooks }), requeued);
}
