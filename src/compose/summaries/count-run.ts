import type { JudgeShare } from '../../domain/judge-share.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { type CountedRun, readCounted } from '../../report/reporters/run-view.ts';

/** The counts and figures of a run as it stands. */
export async function countStored(run: RunHeader, store: Store, judgeShare?: JudgeShare | null): Promise<CountedRun> {
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  return readCounted({ store, summary, judgeShare });
}
