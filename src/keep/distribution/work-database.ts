import { type Kysely, sql, type Transaction } from 'kysely';
import type PgBoss from 'pg-boss';
import { asAssayError } from '../../domain/errors.ts';
import type { Tables } from '../store/sql/tables.ts';
import type { FinishedTrial, Store } from '../store/store.ts';
import { queueSchema } from './job-table.ts';

/** A Postgres store together with the queues in the same database. */
export interface WorkDatabase extends AsyncDisposable {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  readonly boss: PgBoss;
  /** Stores trials as a part of a transaction; those that are stored already stay as they are. */
  saveTrials(transaction: Transaction<Tables>, trials: readonly FinishedTrial[]): Promise<void>;
}

/** Opens the queues beside a store, and makes their tables if need be. */
export async function openWorkDatabase(url: string): Promise<WorkDatabase> {
  const { openPostgres } = await import('../store/sql/open-postgres.ts');
  const { default: Boss } = await import('pg-boss');
  const { store, db, pool, saveTrialsIn } = await openPostgres(url);
  const boss = new Boss({
    schema: queueSchema,
    db: { executeSql: (text, values) => pool.query(text, values) },
    // Leases are short and extended, which the queue's own supervision knows nothing of.
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => undefined);
  try {
    await db.transaction().execute(async (transaction) => {
      // Machines that open a new database at once would make the same tables.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${queueSchema} tables`}, 0))`.execute(transaction);
      await boss.start();
    });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw asAssayError(error, 'STORE_UNAVAILABLE');
  }
  return {
    store,
    db,
    boss,
    saveTrials: saveTrialsIn,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
    },
  };
}
