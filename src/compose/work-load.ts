import { type Kysely, sql } from 'kysely';
import { countJobs } from '../keep/distribution/group-counts.ts';
import { databaseNowMs } from '../keep/distribution/job-table.ts';
import { openGroups } from '../keep/distribution/work-runs.ts';
import { listWorkers } from '../keep/distribution/workers.ts';
import type { Tables } from '../keep/store/sql/tables.ts';
import type { WorkLoad } from '../keep/telemetry/work-metrics.ts';

/** What waits and who works, over all machines and all runs. */
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

/** Seconds since a worker last said that it lives; undefined before it has done so. */
export async function heartbeatAge(db: Kysely<Tables>, workerId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('workers')
    .select(sql<number | string>`${databaseNowMs} - seen_at`.as('age_ms'))
    .where('worker_id', '=', workerId)
    .executeTakeFirst();
  return row && Number(row.age_ms) / 1_000;
}
