import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type PgBoss from 'pg-boss';
import { asAssayError } from '../../domain/errors.ts';
import { pause } from '../../shared/async.ts';
import { backoffMs } from '../../shared/http/retry-after.ts';
import { firstLine } from '../../shared/text.ts';
import { isConflict, isPassing } from '../store/sql/passing-failures.ts';
import type { StoringCondition } from '../store/sql/sql-engine.ts';
import type { Tables } from '../store/sql/tables.ts';
import type { FinishedTrial, Store } from '../store/store.ts';

/** The schema of the queue's own tables. */
export const queueSchema = 'assay_queue';

/** Where trials wait, one partition for each queue. */
export const jobTable = sql.table(`${queueSchema}.job`);

/** Now, in milliseconds, by the only clock that all machines share. */
export const databaseNowMs: RawBuilder<number> = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A Postgres store together with the queues in the same database. */
export interface WorkDatabase extends AsyncDisposable {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  readonly boss: PgBoss;
  /** Stores new trials in one statement where the condition holds; false where it changed nothing. */
  saveTrialsAtOnce(trials: readonly FinishedTrial[], condition: StoringCondition): Promise<boolean>;
  /** Stores trials as a part of a transaction; those that are stored already stay as they are. */
  saveTrials(transaction: Transaction<Tables>, trials: readonly FinishedTrial[]): Promise<void>;
  /** Sets trials that ended in an error aside as a part of a transaction; gives their number. */
  setAsideErrors(transaction: Transaction<Tables>, runId: string, trialIds: readonly string[]): Promise<number>;
}

/** Opens the queues beside a store, and makes their tables if need be. */
export async function openWorkDatabase(url: string): Promise<WorkDatabase> {
  const { openPostgres } = await import('../store/sql/postgres.ts');
  const { default: Boss } = await import('pg-boss');
  const { store, db, pool, saveTrialsAtOnce, saveTrialsIn, setAsideErrorsIn } = await openPostgres(url);
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
    saveTrialsAtOnce,
    saveTrials: saveTrialsIn,
    setAsideErrors: setAsideErrorsIn,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
    },
  };
}

/** How a database that went away is waited for. */
interface Patience {
  readonly signal: AbortSignal;
  /** Called once when the database is lost, and once when it is back. */
  log(message: string): void;
}

const waits = { firstMs: 50, longestMs: 2_000 };
/** Shorter interruptions are not logged. */
const loggedFailures = 4;

/**
 * Does something with the database, again and again while the database cannot be reached: it may be restarted at any
 * time. Whatever is wrong besides that is thrown. The work must be harmless when it is done twice.
 */
export async function retryWhileDatabaseIsDown<Result>(
  { signal, log }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let isLogged = false;
  for (;;) {
    try {
      const result = await work();
      if (isLogged) log('The database answers again.');
      return result;
    } catch (error) {
      if (signal.aborted || !(isPassing(error) || isConflict(error))) throw error;
      failures += 1;
      if (!isLogged && failures >= loggedFailures) {
        isLogged = true;
        log(`The database cannot be reached, waiting for it: ${messageOf(error)}`);
      }
      await pause(backoffMs(failures, waits), signal);
    }
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return firstLine(message);
}
