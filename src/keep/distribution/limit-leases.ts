import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';
import type { Limits } from './distribution.ts';
import { databaseNowMs } from './job-table.ts';

type Database = Kysely<Tables>;

/**
 * Takes up to so many uses of everything that is limited, each under a name of its own, and gives the names of those
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
    // In the same order everywhere, so that two workers never wait for each other.
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
