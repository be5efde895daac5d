import { sql } from 'kysely';
import { countJobs } from './group-counts.ts';
import { databaseNowMs } from './job-table.ts';
import { removeExpiredUses } from './limit-leases.ts';
import { endExpiredLeases } from './lost-trials.ts';
import { setLostTrialsAside } from './set-aside.ts';
import { deleteGroups } from './trial-groups.ts';
import type { WorkDatabase } from './work-database.ts';
import { finishWorkRun } from './work-runs.ts';
import { forgetLostWorkers } from './workers.ts';

/**
 * Does what somebody has to do for all: takes leases away that ended, sets aside what cannot be run, and ends runs of
 * which nothing is left. Every worker and coordinator calls it; within the given time only one of them does it.
 */
export async function keepHouse(work: WorkDatabase, intervalMs: number): Promise<void> {
  if (!(await takesTurn(work, intervalMs))) return;
  const runs = await work.db
    .selectFrom('work_runs')
    .select(['run_id', 'is_enqueued'])
    .where('ended_at', 'is', null)
    .execute();
  const rows = await work.db
    .selectFrom('work_groups')
    .innerJoin('work_runs', 'work_runs.run_id', 'work_groups.run_id')
    .select(['group_id', 'work_groups.run_id', 'ended_at'])
    .execute();
  const groups = new Map(rows.filter((row) => row.ended_at === null).map((row) => [row.group_id, row.run_id]));
  if (groups.size > 0) {
    await endExpiredLeases(work.db, [...groups.keys()]);
    await setLostTrialsAside(work, groups);
  }
  const counts = await countJobs(work.db, [...groups.keys()]);
  const busy = new Set(
    [...counts].filter(([, { waiting, running, lost }]) => waiting + running + lost > 0).map(([id]) => groups.get(id)),
  );
  for (const run of runs) {
    if (run.is_enqueued === 1 && !busy.has(run.run_id)) await finishWorkRun(work, run.run_id);
  }
  const leftBehind = new Set(rows.filter((row) => row.ended_at !== null).map((row) => row.run_id));
  for (const runId of leftBehind) await deleteGroups(work, runId);
  await removeExpiredUses(work.db);
  await forgetLostWorkers(work.db);
}

/** Looks before it writes: where many ask, each write would make all others wait for its commit. */
async function takesTurn({ db }: WorkDatabase, intervalMs: number): Promise<boolean> {
  const dueBefore = sql`${databaseNowMs} - ${Math.round(intervalMs)}::bigint`;
  const { rows } = await sql`
    insert into work_turns (name, taken_at)
    select 'housekeeping', ${databaseNowMs}
    where not exists (select 1 from work_turns where name = 'housekeeping' and taken_at > ${dueBefore})
    on conflict (name) do update set taken_at = excluded.taken_at
    where work_turns.taken_at <= ${dueBefore}
    returning name`.execute(db);
  return rows.length > 0;
}
