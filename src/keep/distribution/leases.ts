import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';
import { type Lease, leaseName, queuedTrialSchema, type TrialGroup } from './distribution.ts';
import { jobTable } from './job-table.ts';

type Database = Kysely<Tables>;

/** Anything that names leases exactly. */
export type LeaseKey = Pick<Lease, 'jobId' | 'token'> & { readonly group: Pick<TrialGroup, 'groupId'> };

/** Takes the next trials of a group for a worker, for so long; in the order of the plan. */
export async function leaseJobs(
  db: Database,
  group: TrialGroup,
  { limit, leaseMs, workerId }: { readonly limit: number; readonly leaseMs: number; readonly workerId: string },
): Promise<Lease[]> {
  const { rows } = await sql<{ id: string; data: unknown; retry_count: number; retry_limit: number; token: string }>`
    with next as materialized (
      select id from ${jobTable}
      where name = ${group.groupId} and state < 'active' and start_after <= now()
      order by name, start_after
      limit ${limit}
      for update skip locked
    )
    update ${jobTable} j set
      state = 'active',
      started_on = clock_timestamp(),
      retry_count = case when j.started_on is null then j.retry_count else j.retry_count + 1 end,
      expire_in = ${leaseMs} * interval '1 millisecond',
      output = jsonb_build_object('worker', ${workerId}::text)
    from next
    where j.name = ${group.groupId} and j.id = next.id
    returning j.id, j.data, j.retry_count, j.retry_limit, j.started_on::text as token`.execute(db);
  return rows
    .map((row) => ({
      group,
      jobId: row.id,
      token: row.token,
      attempt: row.retry_count + 1,
      isLastAttempt: row.retry_count >= row.retry_limit,
      trial: queuedTrialSchema.parse(row.data),
    }))
    .sort((one, other) => one.trial.ordinal - other.trial.ordinal);
}

/** Lets leases last from now on; gives the names of those that are still held. */
export async function extendLeases(
  db: Database,
  leases: readonly LeaseKey[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  if (leases.length === 0) return new Set();
  const { rows } = await sql<FoundLease>`
    update ${jobTable} j set expire_in = clock_timestamp() - j.started_on + ${leaseMs} * interval '1 millisecond'
    from ${keys(leases)}
    where ${isHeld(leases)}
    returning j.id, j.started_on::text as token`.execute(db);
  return namesOf(rows);
}

/** Puts leases back as they were: what nobody began is nobody's failure. */
export async function giveBackLeases(db: Database, leases: readonly LeaseKey[]): Promise<void> {
  if (leases.length === 0) return;
  await sql`
    update ${jobTable} j set state = 'retry', started_on = null, output = null
    from ${keys(leases)}
    where ${isHeld(leases)}`.execute(db);
}

/**
 * Marks those trials as done whose leases are still held, and gives their names; to be called in the transaction that
 * stores their results, in which nobody else can take them away from here on.
 */
export async function completeJobs(transaction: Database, leases: readonly LeaseKey[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<FoundLease>`
    update ${jobTable} j set state = 'completed', completed_on = clock_timestamp()
    from ${keys(leases)}
    where ${isHeld(leases)}
    returning j.id, j.started_on::text as token`.execute(transaction);
  return namesOf(rows);
}

/** Those of the leases whose trials are done: the answer to a commit may be lost while the commit is not. */
export async function completedAmong(db: Database, leases: readonly LeaseKey[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<FoundLease>`
    select j.id, j.started_on::text as token from ${jobTable} j join ${keys(leases)}
    on j.name = k.name and j.id = k.id and j.started_on = k.token and j.state = 'completed'
    where j.name = any(${groupIds(leases)})`.execute(db);
  return namesOf(rows);
}

interface FoundLease {
  readonly id: string;
  readonly token: string;
}

function namesOf(rows: readonly FoundLease[]): ReadonlySet<string> {
  return new Set(rows.map(({ id, token }) => leaseName({ jobId: id, token })));
}

function keys(leases: readonly LeaseKey[]): RawBuilder<unknown> {
  const ids = leases.map(({ jobId }) => jobId);
  const tokens = leases.map(({ token }) => token);
  return sql`unnest(${leases.map(({ group }) => group.groupId)}::text[], ${ids}::uuid[], ${tokens}::timestamptz[])
    as k(name, id, token)`;
}

/** The names come twice so that only the partitions in question are looked at. */
function isHeld(leases: readonly LeaseKey[]): RawBuilder<SqlBool> {
  return sql`j.name = k.name and j.id = k.id and j.started_on = k.token and j.state = 'active'
    and j.name = any(${groupIds(leases)})`;
}

function groupIds(leases: readonly LeaseKey[]): string[] {
  return [...new Set(leases.map(({ group }) => group.groupId))];
}
