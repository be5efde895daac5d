import { type Kysely, sql } from 'kysely';
import { countJobs } from '../../keep/distribution/trial-groups.ts';
import { databaseNowMs, openWorkDatabase } from '../../keep/distribution/work-database.ts';
import { openGroups, unservedGroups } from '../../keep/distribution/work-runs.ts';
import { type ListedWorker, listWorkers } from '../../keep/distribution/workers.ts';
import type { Tables } from '../../keep/store/sql/tables.ts';
import type { WorkLoad } from '../../keep/telemetry/work-metrics.ts';

/** Progress of a distributed run. */
interface SharedRun {
  readonly runId: string;
  readonly priority: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Why no worker takes some of the waiting trials. */
  readonly unserved: readonly string[];
}

/** Workers and runs of a shared store. */
export interface SharedWork {
  readonly workers: readonly ListedWorker[];
  readonly runs: readonly SharedRun[];
}

/** Reads the workers and the unfinished runs of a shared store. */
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

/** Waiting trials and workers, over all machines and all runs. */
export async function workLoad(db: Kysely<Tables>): Promise<WorkLoad> {
  const groups = await openGroups(db);
  const counts = await countJobs(
    db,
    groups.map(({ groupId }) => groupId),
  );
  const workers = (await listWorkers(db)).filter(({ isLost }) => !isLost).length;
  const load = { waiting: 0, active: 0, workers };
  for (const { waiting, running } of counts.values()) {
    load.waiting += waiting;
    load.active += running;
  }
  return load;
}

/** Seconds since a worker's last heartbeat; undefined before the first. */
export async function heartbeatAge(db: Kysely<Tables>, workerId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('workers')
    .select(sql<number | string>`${databaseNowMs} - seen_at`.as('age_ms'))
    .where('worker_id', '=', workerId)
    .executeTakeFirst();
  return row && Number(row.age_ms) / 1_000;
}
