import { type Kysely, sql } from 'kysely';
import * as z from 'zod';
import type { Tables } from '../store/sql/tables.ts';
import { isServedBy, needsSchema, type TrialGroup } from './distribution.ts';
import { deleteGroups, reason, type UnservedGroup } from './trial-groups.ts';
import { databaseNowMs, jobTable, type WorkDatabase } from './work-database.ts';
import { listWorkers } from './workers.ts';

/** Settings with which a worker runs the trials as the coordinator would. */
const workSettingsSchema = z.object({
  judge: z.object({
    isWanted: z.boolean().optional(),
    models: z.array(z.string()).optional(),
    samples: z.number().optional(),
    always: z.boolean().optional(),
    probes: z.boolean().optional(),
    cache: z.boolean().optional(),
    replay: z.string().optional(),
  }),
});
type WorkSettings = z.infer<typeof workSettingsSchema>;

/** A run whose trials are shared out. */
export interface WorkRun {
  readonly runId: string;
  readonly bundleId: string;
  readonly settings: WorkSettings;
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
  { runId, bundleId, settings, priority }: Pick<WorkRun, 'runId' | 'bundleId' | 'settings' | 'priority'>,
): Promise<void> {
  const values = { bundle_id: bundleId, settings: JSON.stringify(settings), priority };
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
      settings: workSettingsSchema.parse(JSON.parse(row.settings)),
      priority: row.priority,
      isEnqueued: row.is_enqueued === 1,
      isCancelled: row.cancelled_at !== null,
      isEnded: row.ended_at !== null,
    }
  );
}

/** The groups of runs that go on, with whether something waits in them. */
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

async function setStatus(db: Database, runId: string, status: 'finished' | 'interrupted'): Promise<void> {
  await db.updateTable('runs').set({ status, finished_at: databaseNowMs }).where('run_id', '=', runId).execute();
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
