import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { StoringCondition } from '../store/sql/sql-engine.ts';
import type { Tables } from '../store/sql/tables.ts';
import type { FinishedTrial } from '../store/store.ts';
import { type Lease, type Limits, leaseName, queuedTrialSchema, type TrialGroup } from './distribution.ts';
import { databaseNowMs, jobTable, type WorkDatabase } from './work-database.ts';

type Database = Kysely<Tables>;

/** Anything that names leases exactly. */
type LeaseKey = Pick<Lease, 'jobId' | 'token'> & { readonly group: Pick<TrialGroup, 'groupId'> };

/** Takes the next trials of a group for a worker, for so long; in the order of the plan. */
export async function leaseJobs(
  db: Database,
  group: TrialGroup,
  { limit, leaseMs, workerId }: { readonly limit: number; readonly leaseMs: number; readonly workerId: string },
): Promise<Lease[]> {
  const { rows } = await sql<LeasedRow>`
    with next as materialized (
      select id from ${jobTable}
      where name = ${group.groupId} and state < 'active' and start_after <= now()
        and not exists (select 1 from run_controls where run_id = ${group.runId} and paused_at is not null)
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
    returning j.id, j.data, j.retry_count, j.retry_limit, j.started_on::text as token,
      extract(epoch from j.start_after)::float8 as turn`.execute(db);
  return rows
    .sort((one, other) => one.turn - other.turn)
    .map((row) => ({
      group,
      jobId: row.id,
      token: row.token,
      attempt: row.retry_count + 1,
      isLastAttempt: row.retry_count >= row.retry_limit,
      trial: queuedTrialSchema.parse(row.data),
    }));
}

interface LeasedRow {
  readonly id: string;
  readonly data: unknown;
  readonly retry_count: number;
  readonly retry_limit: number;
  readonly token: string;
  readonly turn: number;
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

/** Puts leases back as they were: a trial that was never started counts as no attempt. */
export async function giveBackLeases(db: Database, leases: readonly LeaseKey[]): Promise<void> {
  if (leases.length === 0) return;
  await sql`
    update ${jobTable} j set state = 'retry', started_on = null, output = null
    from ${keys(leases)}
    where ${isHeld(leases)}`.execute(db);
}

/**
 * Marks those trials as done whose leases are still held, and gives their names; to be called in the transaction that
 * stores their results, in which no other worker can take them away from here on.
 */
async function completeJobs(transaction: Database, leases: readonly LeaseKey[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<FoundLease>`
    update ${jobTable} j set state = 'completed', completed_on = clock_timestamp()
    from ${keys(leases)}
    where ${isHeld(leases)}
    returning j.id, j.started_on::text as token`.execute(transaction);
  return namesOf(rows);
}

/** The same as a part of the statement that stores the results, which does nothing unless all leases are still held. */
function completingAll(leases: readonly LeaseKey[]): StoringCondition {
  const holds = sql<SqlBool>`(select count(*) from held) = ${leases.length}::int`;
  const parts = sql`held as materialized (
      select j.name, j.id from ${jobTable} j join ${keys(leases)} on ${isHeld(leases)} for update of j
    ), completed as (
      update ${jobTable} j set state = 'completed', completed_on = clock_timestamp() from held
      where j.name = held.name and j.id = held.id and j.name = any(${groupIds(leases)}) and ${holds}
    ),`;
  return { parts, holds };
}

/** Those of the leases whose trials are done: the answer to a commit may be lost while the commit is not. */
async function completedAmong(db: Database, leases: readonly LeaseKey[]): Promise<ReadonlySet<string>> {
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

/** The names come twice, so only the partitions in question are searched. */
function isHeld(leases: readonly LeaseKey[]): RawBuilder<SqlBool> {
  return sql`j.name = k.name and j.id = k.id and j.started_on = k.token and j.state = 'active'
    and j.name = any(${groupIds(leases)})`;
}

function groupIds(leases: readonly LeaseKey[]): string[] {
  return [...new Set(leases.map(({ group }) => group.groupId))];
}

/**
 * Takes up to so many uses of everything that is limited, each under its own name, and gives the names of those
 * that could be had. A use counts until it is given back or its lease ends, whichever worker has it.
 */
export async function takeUses(
  db: Database,
  limits: Limits,
  holders: readonly string[],
  leaseMs: number,
): Promise<string[]> {
  const names = Object.keys(limits).sort();
  return db.transaction().execute(async (transaction) => {
    // In the same order everywhere, so two workers never wait for each other.
    for (const name of names) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`assay limit ${name}`}, 0))`.execute(transaction);
    }
    const { rows } = await sql<{ limit_name: string; used: string }>`
      select limit_name, count(*) as used from limit_leases
      where limit_name = any(${names}) and expires_at > ${databaseNowMs} group by limit_name`.execute(transaction);
    const used = new Map(rows.map((row) => [row.limit_name, Number(row.used)]));
    const free = Math.min(...names.map((name) => Math.max((limits[name] ?? 0) - (used.get(name) ?? 0), 0)));
    const taken = holders.slice(0, free);
    if (taken.length === 0) return [];
    await sql`
      insert into limit_leases (limit_name, holder, expires_at)
      select name, holder, ${databaseNowMs} + ${leaseMs}::bigint
      from unnest(${names}::text[]) as n(name) cross join unnest(${taken}::text[]) as h(holder)`.execute(transaction);
    return taken;
  });
}

/** Lets uses last from now on. */
export async function extendUses(db: Database, holders: readonly string[], leaseMs: number): Promise<void> {
  if (holders.length === 0) return;
  await sql`
    update limit_leases set expires_at = ${databaseNowMs} + ${leaseMs}::bigint
    where holder = any(${holders}::text[])`.execute(db);
}

/** Gives uses back. */
export async function giveBackUses(db: Database, holders: readonly string[]): Promise<void> {
  if (holders.length === 0) return;
  await sql`delete from limit_leases where holder = any(${holders}::text[])`.execute(db);
}

/** Removes uses whose holders are gone. */
export async function removeExpiredUses(db: Database): Promise<void> {
  await sql`delete from limit_leases where expires_at < ${databaseNowMs}`.execute(db);
}

/** The result of a trial, and the right to store it. */
export interface LeasedResult {
  readonly lease: Lease;
  readonly finished: FinishedTrial;
}

/**
 * Stores the results whose leases are still held, in the same transaction that marks their trials as done; gives those
 * that came too late. A worker that was stopped for a while and then goes on can so never store a trial twice. Usually
 * all leases are held, and that is one statement.
 */
export async function storeUnderLease(
  { db, saveTrialsAtOnce, saveTrials }: WorkDatabase,
  results: readonly LeasedResult[],
): Promise<LeasedResult[]> {
  const leases = results.map(({ lease }) => lease);
  const trials = results.map(({ finished }) => finished);
  if (await saveTrialsAtOnce(trials, completingAll(leases))) return [];
  const refused = await db.transaction().execute(async (transaction) => {
    const held = await completeJobs(transaction, leases);
    const accepted = results.filter(({ lease }) => held.has(leaseName(lease)));
    if (accepted.length > 0) {
      await saveTrials(
        transaction,
        accepted.map(({ finished }) => finished),
      );
    }
    return results.filter(({ lease }) => !held.has(leaseName(lease)));
  });
  if (refused.length === 0) return [];
  const done = await completedAmong(
    db,
    refused.map(({ lease }) => lease),
  );
  return refused.filter(({ lease }) => !done.has(leaseName(lease)));
}
