import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';
import { type QueuedTrial, queuedTrialSchema } from './distribution.ts';
import { jobTable, queueSchema } from './job-table.ts';

type Database = Kysely<Tables>;

/** Takes away the leases that ended: the trials wait again, or have failed when that was their last attempt. */
export async function endExpiredLeases(db: Database, groups: readonly string[]): Promise<void> {
  await sql`
    update ${jobTable} set
      state = (case when retry_count < retry_limit then 'retry' else 'failed' end)::${sql.table(`${queueSchema}.job_state`)},
      start_after = now()
    where name = any(${groups}) and state = 'active' and started_on + expire_in < clock_timestamp()`.execute(db);
}

/** A trial whose every attempt was lost. */
export interface LostTrial {
  readonly groupId: string;
  readonly jobId: string;
  readonly attempts: number;
  /** Who had it last. */
  readonly worker: string | null;
  readonly trial: QueuedTrial;
}

/** Trials that will not be tried again, kept from others until the transaction ends. */
export async function takeLostTrials(transaction: Database, groups: readonly string[]): Promise<LostTrial[]> {
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
export async function completeLostTrials(transaction: Database, trials: readonly LostTrial[]): Promise<void> {
  const ids = trials.map(({ jobId }) => jobId);
  await sql`
    update ${jobTable} set state = 'completed', completed_on = clock_timestamp()
    where name = any(${trials.map(({ groupId }) => groupId)}) and id = any(${ids}::uuid[]) and state = 'failed'
  `.execute(transaction);
}
