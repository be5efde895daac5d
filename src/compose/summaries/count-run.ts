import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { type CountedRun, readCounted } from '../../report/reporters/run-view.ts';

/** The counts and figures of a run as it stands. */
export async function countStored(run: RunHeader, store: Store): Promise<CountedRun> {
  return readCounted({ store, summary: summarizeRun(run, await store.countTrials(run.runId), Date.now()) });
}
