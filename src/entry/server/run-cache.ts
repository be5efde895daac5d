import type { RunHeader } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Store } from '../../keep/store/store.ts';
import type { Comparison } from '../../report/compare/comparison.ts';
import type { Dashboard, FailureClusters } from './api/runs.ts';
import { BoundedCache } from './bounded-cache.ts';
import { FollowedRuns } from './live/followed-runs.ts';
import type { CountedRun } from './runs/read-runs.ts';
import { traceWeight } from './trials/trace-page.ts';

const mostTraceCharacters = 100_000_000;

/** What the routes about runs keep: figures of runs that have ended, which cannot change, and traces just looked at. */
export class RunsDesk {
  readonly figures = new BoundedCache<CountedRun>(500);
  readonly clusters = new BoundedCache<FailureClusters>(50);
  readonly comparisons = new BoundedCache<Comparison>(20);
  readonly broke = new BoundedCache<Dashboard['broke']>(20);
  readonly traces = new BoundedCache<Trace>(mostTraceCharacters, traceWeight);
  readonly followed: FollowedRuns;

  constructor(store: Store) {
    this.followed = new FollowedRuns(store);
  }
}

/** Another one when the run was taken up again: what was kept of it holds no more. Undefined while it goes on. */
export function endedKey({ runId, status, finishedAt }: RunHeader): string | undefined {
  return status === 'running' || finishedAt === null ? undefined : `${runId}@${finishedAt}`;
}
