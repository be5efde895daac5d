import { type Kysely, sql } from 'kysely';
import { changeRun } from '../store/sql/run-checksum.ts';
import type { Tables } from '../store/sql/tables.ts';
import { hasOutcome } from '../store/sql/trial-row.ts';
import { isServedBy, needsSchema, type TrialGroup } from './distribution.ts';
import { deleteGroups, jobIdOf, reason, type UnservedGroup } from './trial-groups.ts';
import { databaseNowMs, jobTable, type WorkDatabase } from './work-database.ts';
import { listWorkers } from './workers.ts';

/** A run whose trials are shared out. */
export interface WorkRun {
  readonly runId: string;
  readonly bundleId: string;
  readonly priority: number;
  readonly isEnqueued: boolean;
  readonly isCancelled: boolean;
  readonly isEnded: boolean;
}

/** A group with what decides whose turn it is. */
export interface OpenGroup extends TrialGroup {
  readonly priority: number;
  readonly hasWaiting: boolean;
}

type Database = Kysely<Tables>;

/** Opens a run for workers, or opens it again; trials may be added until it is said to be complete. */
export async function openWorkRun(
  db: Database,
  { runId, bundleId, priority }: Pick<WorkRun, 'runId' | 'bundleId' | 'priority'>,
): Promise<void> {
  const values = { bundle_id: bundleId, priority };
  const fresh = { ...values, is_enqueued: 0, cancelled_at: null, ended_at: null };
  await db
    .insertInto('work_runs')
    .values({ run_id: runId, ...fresh })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(fresh))
    .execute();
}

/** Says that every trial of a run that is not stored waits in a queue. */
export async function closeWorkRun(db: Database, runId: string): Promise<void> {
  await db.updateTable('work_runs').set({ is_enqueued: 1 }).where('run_id', '=', runId).execute();
}

/** State of a distributed run. */
export async function findWorkRun(db: Database, runId: string): Promise<WorkRun | undefined> {
  const row = await db.selectFrom('work_runs').selectAll().where('run_id', '=', runId).executeTakeFirst();
  return (
    row && {
      runId,
      bundleId: row.bundle_id,
      priority: row.priority,
      isEnqueued: row.is_enqueued === 1,
      isCancelled: row.cancelled_at !== null,
      isEnded: row.ended_at !== null,
    }
  );
}

/** The groups of runs that go on, with whether something waits in them that may be taken. */
export async function openGroups(db: Database): Promise<OpenGroup[]> {
  const { rows } = await sql<{
    group_id: string;
    run_id: string;
    needs: string;
    limits: string;
    priority: number;
    has_waiting: boolean;
  }>`
    select g.group_id, g.run_id, g.needs, g.limits, r.priority,
      exists (
        select 1 from ${jobTable} j
        where j.name = g.group_id and j.state < 'active' and j.start_after <= now()
      ) and not exists (
        select 1 from run_controls c where c.run_id = g.run_id and c.paused_at is not null
      ) as has_waiting
    from work_groups g join work_runs r on r.run_id = g.run_id
    where r.ended_at is null
    order by g.group_id`.execute(db);
  return rows.map((row) => ({
    groupId: row.group_id,
    runId: row.run_id,
    needs: needsSchema.parse(JSON.parse(row.needs)),
    limits: JSON.parse(row.limits),
    priority: row.priority,
    hasWaiting: row.has_waiting,
  }));
}

/** Ends a run on all machines: what waits is dropped, and what runs can no longer be stored. False: it was over. */
export async function cancelWorkRun(work: WorkDatabase, runId: string): Promise<boolean> {
  const wasOpen = await work.db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('work_runs')
      .set({ cancelled_at: databaseNowMs, ended_at: databaseNowMs })
      .where('run_id', '=', runId)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await setStatus(transaction, runId, 'interrupted');
    return true;
  });
  if (wasOpen) await deleteGroups(work, runId);
  return wasOpen;
}

/** Ends a run of which nothing waits or runs any more. */
export async function finishWorkRun(work: WorkDatabase, runId: string): Promise<void> {
  const wasOpen = await work.db.transaction().execute(async (transaction) => {
    await lockWorkRun(transaction, runId);
    // Trials may have been requeued since the caller counted.
    if (await hasOpenJobs(transaction, runId)) return false;
    const { numUpdatedRows } = await transaction
      .updateTable('work_runs')
      .set({ ended_at: databaseNowMs })
      .where('run_id', '=', runId)
      .where('ended_at', 'is', null)
      .where('is_enqueued', '=', 1)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await setStatus(transaction, runId, 'finished');
    return numUpdatedRows > 0n;
  });
  if (wasOpen) await deleteGroups(work, runId);
}

/** Keeps others from ending or requeueing a run until the transaction ends; false where it is over. */
async function lockWorkRun(transaction: Database, runId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('work_runs')
    .select('ended_at')
    .where('run_id', '=', runId)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined && row.ended_at === null;
}

async function hasOpenJobs(transaction: Database, runId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${jobTable} j join work_groups g on g.group_id = j.name
    where g.run_id = ${runId} and (j.state <= 'active' or j.state = 'failed') limit 1`.execute(transaction);
  return rows.length > 0;
}

/** Lets trials wait again that ended in an error; gives their number, or undefined where the run is over. */
export function requeueErrors(
  { db, setAsideErrors }: WorkDatabase,
  runId: string,
  trialIds?: readonly string[],
): Promise<number | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockWorkRun(transaction, runId))) return undefined;
    const errors = await transaction
      .selectFrom('trials')
      .select(['trial_id', 'ordinal'])
      .where('run_id', '=', runId)
      .where(hasOutcome(['error']))
      .execute();
    const chosen = errors.filter(({ trial_id }) => trialIds?.includes(trial_id) ?? true);
    if (chosen.length === 0) return 0;
    const jobIds = chosen.map(({ trial_id, ordinal }) => jobIdOf({ trialId: trial_id, ordinal }));
    await sql`
      update ${jobTable} set state = 'retry', retry_count = 0, started_on = null, completed_on = null, output = null,
        start_after = now()
      where name in (select group_id from work_groups where run_id = ${runId}) and id = any(${jobIds}::uuid[])
        and state = 'completed'`.execute(transaction);
    return setAsideErrors(
      transaction,
      runId,
      chosen.map(({ trial_id }) => trial_id),
    );
  });
}

/** Lets so many trials of a run go on at a time, over all workers; they take it up with their next heartbeat. */
export async function limitWorkRun(db: Database, runId: string, concurrency: number): Promise<void> {
  const limit = JSON.stringify({ [`run:${runId}`]: concurrency });
  await sql`update work_groups set limits = (limits::jsonb || ${limit}::jsonb)::text where run_id = ${runId}`.execute(
    db,
  );
}

/** Drops the trials of a run that wait; those that run come to their end, and the run finishes with them. */
export async function dropWaitingTrials(db: Database, runId: string): Promise<void> {
  await sql`
    delete from ${jobTable} where name in (select group_id from work_groups where run_id = ${runId}) and state < 'active'
  `.execute(db);
}

async function setStatus(db: Database, runId: string, status: 'finished' | 'interrupted'): Promise<void> {
  const { rows } = await sql<{ now: number | string }>`select ${databaseNowMs} as now`.execute(db);
  await changeRun(db, { runId }, () => ({ status, finished_at: Number(rows[0]?.now) }));
}

/** The groups of a run, or of all runs, in which something waits that no worker can run, with the reason. */
export async function unservedGroups(db: Kysely<Tables>, runId?: string): Promise<UnservedGroup[]> {
  const groups = (await openGroups(db)).filter((group) => group.hasWaiting && (!runId || group.runId === runId));
  if (groups.length === 0) return [];
  const workers = (await listWorkers(db)).filter(({ isLost, state }) => !isLost && state === 'working');
  return groups.flatMap(({ needs, groupId, runId: ofRun }) =>
    workers.some(({ facts }) => isServedBy(needs, facts))
      ? []
      : [
          {
            runId: ofRun,
            groupId,
            message: `Trials of ${ofRun} wait, and no worker can run them: ${reason(needs, workers)}`,
          },
        ],
  );
}
