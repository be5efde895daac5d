import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { AssayError } from '../../../domain/errors.ts';
import { postgresPlace } from '../open-store.ts';
import type { FinishedTrial, Store } from '../store.ts';
import type { SqlDialectWords } from './columns.ts';
import { packTrials } from './packed-trials.ts';
import { isConflict, isCutOff, isPassing } from './passing-failures.ts';
import { openingFailure } from './postgres-failures.ts';
import { namedStatementsPool, openPool } from './postgres-pool.ts';
import { postgresTextSearch } from './read-trials.ts';
import { insertionOf, PackIds, saveAtOnce } from './save-at-once.ts';
import { savePackedTrials, setAsideErrorsIn } from './save-trials.ts';
import { type InsertRows, migrate, type SqlEngine, type StoringCondition } from './sql-engine.ts';
import { createSqlStore } from './sql-store.ts';
import type { SqlDatabase, Tables } from './tables.ts';
import { checkedTrial } from './trial-row.ts';

const countShards = 64;

/**
 * SQL of Postgres. Stores on many machines count in shards, each transaction in the first that is free: none
 * waits for the commit of another, which may be slow or hang, and a run with few writers has few shards.
 */
function postgresEngine(): SqlEngine & Required<Pick<SqlEngine, 'saveAtOnce'>> {
  const countShard = Math.floor(Math.random() * countShards);
  const freeCountShard = `coalesce((
    select s from generate_series(0, ${countShards - 1}) s
    where pg_try_advisory_xact_lock(hashtext('assay trial_counts'), s) limit 1
  ), ${countShard})`;
  const now = () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const counting = { countShard, freeCountShard };
  const packIds = new PackIds();
  return {
    ...counting,
    contains: postgresTextSearch,
    insertRows: insertColumns,
    readTrials: async (query) => (await query.selectAll().execute()).map((row) => checkedTrial(row)),
    async *eachRow(query) {
      yield* await query.execute();
    },
    saveAtOnce: (db, packed, condition) => saveAtOnce(db, counting, packIds, packed, condition),
    now,
  };
}

const insertColumns: InsertRows = async <Returned>(...[db, insertion, rows]: Parameters<InsertRows>) => {
  if (rows.length === 0) return [];
  return (await insertionOf(insertion, rows).execute(db)).rows as Returned[];
};

/** How long, and how loudly, a store waits for a database that went away. */
interface Reconnection {
  readonly limitMs: number;
  readonly shown: string;
  warn(message: string): void;
}

/** Does something that may be done twice, and does it again while the database is away. */
type Reconnecting = <Result>(work: () => Promise<Result>) => Promise<Result>;

const longestPauseMs = 2_000;

/** How long a store that is being opened waits for a database that was there a moment ago. */
const openingLimitMs = 15_000;

/** Makes work outlive a restart of the database; each interruption is logged once, however many statements wait. */
function reconnecting({ limitMs, shown, warn }: Reconnection): Reconnecting {
  let isAway = false;
  return async (work) => {
    let failedAt: number | undefined;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const result = await work();
        if (failedAt !== undefined) isAway = false;
        return result;
      } catch (error) {
        failedAt ??= performance.now();
        const isAbsence = isPassing(error);
        if (!isAbsence && !isConflict(error)) throw error;
        if (performance.now() - failedAt > limitMs) {
          isAway = false;
          throw stillAway(error, shown, limitMs);
        }
        if (isAbsence && !isAway) warn(awayWarning(error, shown, limitMs));
        isAway ||= isAbsence;
        await wait(pauseMs);
      }
    }
  };
}

function awayWarning(error: unknown, shown: string, limitMs: number): string {
  return `The store ${shown} was lost (${reasonOf(error)}); reconnecting for up to ${Math.round(limitMs / 1_000)} s.`;
}

function stillAway(error: unknown, shown: string, limitMs: number): AssayError {
  const message = `The store ${shown} did not come back within ${Math.round(limitMs / 1_000)} s: ${reasonOf(error)}`;
  return new AssayError('STORE_UNAVAILABLE', message, { cause: error });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The same store, which waits for its database. Nothing is stored twice: trials are known by their content. Removing
 * runs is not done again, because the second time would not return what the first one removed.
 */
function withReconnection(store: Store, again: Reconnecting): Store {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    name === 'deleteRuns' ? method : (...given: never[]) => again(() => method(...given)),
  ]);
  return { ...Object.fromEntries(methods), [Symbol.asyncDispose]: store[Symbol.asyncDispose] } as Store;
}

/** How a Postgres store behaves while its database is away. */
export interface PostgresOptions {
  /** How long repeatable statements are retried; a minute by default. */
  readonly reconnectMs?: number;
  warn?(message: string): void;
}

/** A store on Postgres, and what is needed to do more in the same database. */
export interface PostgresStore extends SqlDatabase {
  readonly pool: Pool;
  /** Does something that may be done twice, and does it again while the database is away. */
  readonly again: Reconnecting;
  /** Stores new trials in one statement where the condition holds; false where it changed nothing. */
  saveTrialsAtOnce(trials: readonly FinishedTrial[], condition: StoringCondition): Promise<boolean>;
  /** Stores trials in a transaction of the caller, once and as the last thing that the transaction writes. */
  saveTrialsIn(transaction: Transaction<Tables>, trials: readonly FinishedTrial[]): Promise<void>;
  /** Sets trials that ended in an error aside in a transaction of the caller. */
  setAsideErrorsIn(transaction: Transaction<Tables>, runId: string, trialIds: readonly string[]): Promise<number>;
}

const postgresWords: SqlDialectWords = {
  id: 'text collate "C"',
  generatedId: 'bigint generated always as identity primary key',
  bytes: 'bytea',
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
  const update = (): Promise<void> => migrate(db as unknown as Kysely<unknown>, postgresWords);
  try {
    await update().catch((error: unknown) => {
      // One that was never there may have another address, and waiting would not help.
      if (!isCutOff(error)) throw error;
      return reconnecting({ limitMs: Math.min(limitMs, openingLimitMs), shown: place.shown, warn })(update);
    });
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
    saveTrialsAtOnce: async (trials, condition) => engine.saveAtOnce(db, await packTrials(trials), condition),
    async saveTrialsIn(transaction, trials) {
      await savePackedTrials(transaction, engine, await packTrials(trials));
    },
    setAsideErrorsIn: (transaction, runId, trialIds) => setAsideErrorsIn(transaction, engine, runId, trialIds),
  };
}
