import { countJobs } from '../keep/distribution/group-counts.ts';
import { unservedGroups } from '../keep/distribution/unserved-groups.ts';
import { openWorkDatabase } from '../keep/distribution/work-database.ts';
import { openGroups } from '../keep/distribution/work-runs.ts';
import { listWorkers, type SeenWorker } from '../keep/distribution/workers.ts';

/** A run whose trials are shared out, and where they are. */
export interface SharedRun {
  readonly runId: string;
  readonly priority: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Why some of what waits is taken by nobody. */
  readonly unserved: readonly string[];
}

/** Who works, and on what. */
export interface SharedWork {
  readonly workers: readonly SeenWorker[];
  readonly runs: readonly SharedRun[];
}

/** What goes on in a shared store. */
export async function describeWork(storeUrl: string): Promise<SharedWork> {
  await using work = await openWorkDatabase(storeUrl);
  const groups = await openGroups(work.db);
  const counts = await countJobs(
    work.db,
    groups.map(({ groupId }) => groupId),
  );
  const unserved = await unservedGroups(work.db);
  const runs = new Map<string, SharedRun>();
  for (const { runId, groupId, priority } of groups) {
    const { waiting = 0, running = 0, done = 0 } = counts.get(groupId) ?? {};
    const before = runs.get(runId);
    runs.set(runId, {
      runId,
      priority,
      waiting: (before?.waiting ?? 0) + waiting,
      running: (before?.running ?? 0) + running,
      done: (before?.done ?? 0) + done,
      unserved: unserved.filter((group) => group.runId === runId).map(({ message }) => message),
    });
  }
  return { workers: await listWorkers(work.db), runs: [...runs.values()] };
}
