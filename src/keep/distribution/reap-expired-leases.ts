import { type Kysely, sql } from 'kysely';
import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import { trialFindingsSchema } from '../../domain/record.ts';
import { counted } from '../../shared/format.ts';
import type { Tables } from '../store/sql/tables.ts';
import type { FinishedTrial } from '../store/store.ts';
import { type QueuedTrial, queuedTrialSchema } from './distribution.ts';
import { removeExpiredUses } from './leases.ts';
import { countJobs, deleteGroups } from './trial-groups.ts';
import { databaseNowMs, jobTable, queueSchema, type WorkDatabase } from './work-database.ts';
import { finishWorkRun } from './work-runs.ts';
import { removeLostWorkers } from './workers.ts';

type Database = Kysely<Tables>;

/** Takes away the leases that ended: the trials wait again, or have failed when that was their last attempt. */
async function endExpiredLeases(db: Database, groups: readonly string[]): Promise<void> {
  await sql`
    update ${jobTable} set
      state = (case when retry_count < retry_limit then 'retry' else 'failed' end)::${sql.table(`${queueSchema}.job_state`)},
      start_after = now()
    where name = any(${groups}) and state = 'active' and started_on + expire_in < clock_timestamp()`.execute(db);
}

/** A trial whose every attempt was lost. */
interface LostTrial {
  readonly groupId: string;
  readonly jobId: string;
  readonly attempts: number;
  /** Who had it last. */
  readonly worker: string | null;
  readonly trial: QueuedTrial;
}

/** Trials that will not be tried again, kept from others until the transaction ends. */
async function takeLostTrials(transaction: Database, groups: readonly string[]): Promise<LostTrial[]> {
  const { rows } = await sql<{ name: string; id: string; data: unknown; retry_count: number; worker: string | null }>`
    select name, id, data, retry_count, output->>'worker' as worker from ${jobTable}
    where name = any(${groups}) and state = 'failed'
    limit 100
    for update skip locked`.execute(transaction);
  return rows.map(({ name, id, data, retry_count, worker }) => ({
    groupId: name,
    jobId: id,
    attempts: retry_count + 1,
    worker,
    trial: queuedTrialSchema.parse(data),
  }));
}

/** Marks trials that were set aside as done. */
async function completeLostTrials(transaction: Database, trials: readonly LostTrial[]): Promise<void> {
  const ids = trials.map(({ jobId }) => jobId);
  await sql`
    update ${jobTable} set state = 'completed', completed_on = clock_timestamp()
    where name = any(${trials.map(({ groupId }) => groupId)}) and id = any(${ids}::uuid[]) and state = 'failed'
  `.execute(transaction);
}

/** Stores an error for each trial whose every attempt lost its worker, so the rest of the run can end. */
async function setLostTrialsAside(
  { db, saveTrials }: WorkDatabase,
  groups: ReadonlyMap<string, string>,
): Promise<LostTrial[]> {
  return db.transaction().execute(async (transaction) => {
    const lost = await takeLostTrials(transaction, [...groups.keys()]);
    if (lost.length === 0) return lost;
    const startedAt = Date.now();
    await completeLostTrials(transaction, lost);
    await saveTrials(
      transaction,
      lost.map((trial) => recordOfLost(trial, groups.get(trial.groupId) ?? '', startedAt)),
    );
    return lost;
  });
}

/** Record of a trial whose workers all died: it could not be judged. */
function recordOfLost({ trial, attempts, worker }: LostTrial, runId: string, startedAt: number): FinishedTrial {
  const fault = faultOf(
    new AssayError(
      'TRIAL_SET_ASIDE',
      `Set aside after ${counted(attempts, 'attempt')}: each time the worker ended or was lost while it ran this trial` +
        `${worker === null ? '' : ` (the last one was ${worker})`}.`,
    ),
  );
  return {
    trace: [],
    record: {
      ...trial,
      runId,
      outcome: 'error',
      reason: fault.message,
      startedAt,
      durationMs: null,
      costUsd: null,
      usage: null,
      ...trialFindingsSchema.parse({ evaluatorResults: [], metrics: {}, criteria: null, judge: null, fault }),
    },
  };
}

/**
 * Maintenance for all machines: takes leases away that ended, sets aside what cannot be run, and ends runs of
 * which nothing is left. Every worker and coordinator calls it; within the given time only one of them does it.
 */
export async function reapExpiredLeases(work: WorkDatabase, intervalMs: number): Promise<void> {
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
  await removeLostWorkers(work.db);
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
