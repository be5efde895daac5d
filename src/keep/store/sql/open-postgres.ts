import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { SqlDialectWords } from '../migrations/migration.ts';
import type { FinishedTrial } from '../store.ts';
import { migrate } from './migrate.ts';
import { packTrials } from './packed-trials.ts';
import { postgresEngine } from './postgres-engine.ts';
import { openingFailure } from './postgres-failures.ts';
import { namedStatementsPool, openPool } from './postgres-pool.ts';
import { type Reconnecting, reconnecting, withReconnection } from './reconnecting.ts';
import { savePackedTrials } from './save-trials.ts';
import type { SqlDatabase } from './sql-database.ts';
import { createSqlStore } from './sql-store.ts';
import { postgresPlace } from './store-url.ts';
import type { Tables } from './tables.ts';

/** How a Postgres store behaves while its database is away. */
export interface PostgresOptions {
  /** How long what may be asked twice is asked again; a minute unless told otherwise. */
  readonly reconnectMs?: number;
  warn?(message: string): void;
}

/** A store on Postgres, and what is needed to do more in the same database. */
export interface PostgresStore extends SqlDatabase {
  readonly pool: Pool;
  /** Does something that may be done twice, and does it again while the database is away. */
  readonly again: Reconnecting;
  /** Stores trials in a transaction of the caller, once and as the last thing that the transaction writes. */
  saveTrialsIn(transaction: Transaction<Tables>, trials: readonly FinishedTrial[]): Promise<void>;
}

const postgresWords: SqlDialectWords = {
  id: sql`text collate "C"`,
  generatedId: 'bigint',
  bytes: 'bytea',
  generated: (column) => column.generatedAlwaysAsIdentity(),
  async lockSchema(db) {
    await sql`select pg_advisory_xact_lock(hashtext('assay_schema'))`.execute(db);
  },
};

/** Opens a store in a Postgres database; its tables are made and brought up to date. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const place = postgresPlace(url);
  const { reconnectMs: limitMs = 60_000, warn = () => undefined } = options;
  const pool = await openPool(url);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: namedStatementsPool(pool) }) });
  try {
    await migrate(db as unknown as Kysely<unknown>, postgresWords);
  } catch (error) {
    await db.destroy();
    throw openingFailure(error, place);
  }
  const engine = postgresEngine();
  const again = reconnecting({ limitMs, shown: place.shown, warn });
  return {
    store: withReconnection(createSqlStore(db, engine), again),
    db,
    pool,
    // The server checks its own pages when it is set up to.
    problems: async () => [],
    again,
    async saveTrialsIn(transaction, trials) {
      await savePackedTrials(transaction, engine, await packTrials(trials));
    },
  };
}
