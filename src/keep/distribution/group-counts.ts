import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';
import { jobTable } from './job-table.ts';

type Database = Kysely<Tables>;

/** How many trials of a group are where. */
export interface GroupCounts {
  readonly waiting: number;
  readonly running: number;
  readonly lost: number;
  readonly done: number;
}

/** The counts of groups, by their ids; a group without any job is left out. */
export async function countJobs(db: Database, groups: readonly string[]): Promise<ReadonlyMap<string, GroupCounts>> {
  if (groups.length === 0) return new Map();
  const { rows } = await sql<Record<'name' | keyof GroupCounts, string>>`
    select name,
      count(*) filter (where state < 'active') as waiting,
      count(*) filter (where state = 'active') as running,
      count(*) filter (where state = 'failed') as lost,
      count(*) filter (where state in ('completed', 'cancelled')) as done
    from ${jobTable} where name = any(${groups}) group by name`.execute(db);
  return new Map(
    rows.map(({ name, waiting, running, lost, done }) => [
      name,
      { waiting: Number(waiting), running: Number(running), lost: Number(lost), done: Number(done) },
    ]),
  );
}

/** Removes the jobs of queues that are about to be deleted. */
export async function deleteJobs(db: Database, groups: readonly string[]): Promise<void> {
  await sql`delete from ${jobTable} where name = any(${groups})`.execute(db);
}

/** Lets the database know how large the queues are, without which it sorts all that waits for every lease. */
export async function analyzeJobs(db: Database): Promise<void> {
  await sql`analyze ${jobTable}`.execute(db);
}
