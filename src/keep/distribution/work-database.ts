import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type PgBoss from 'pg-boss';
import { asAssayError } from '../../domain/errors.ts';
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
  /** Stores trials as a part of a transaction; those that are stored already stay as they are. */
  saveTrials(transaction: Transaction<Tables>, trials: readonly FinishedTrial[]): Promise<void>;
  /** Sets trials that ended in an error aside as a part of a transaction; gives their number. */
  setAsideErrors(transaction: Transaction<Tables>, runId: string, trialIds: readonly string[]): Promise<number>;
}

/** Opens the queues beside a store, and makes their tables if need be. */
export async function openWorkDatabase(url: string): Promise<WorkDatabase> {
  const { openPostgres } = await import('../store/sql/postgres.ts');
  const { default: Boss } = await import('pg-boss');
  const { store, db, pool, saveTrialsIn, setAsideErrorsIn } = await openPostgres(url);
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

const shortestWaitMs = 50;
const longestWaitMs = 2_000;
/** Shorter interruptions are not logged. */
const loggedWaitMs = 400;

/**
 * Does something with the database, again and again while the database cannot be reached: it may be restarted at any
 * time. Whatever is wrong besides that is thrown. The work must be harmless when it is done twice.
 */
export async function retryWhileDatabaseIsDown<Result>(
  { signal, log }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  let waitMs = 0;
  let isLogged = false;
  for (;;) {
    try {
      const result = await work();
      if (isLogged) log('The database answers again.');
      return result;
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error;
      waitMs = Math.min(Math.max(waitMs * 2, shortestWaitMs), longestWaitMs);
      if (!isLogged && waitMs >= loggedWaitMs) {
        isLogged = true;
        log(`The database cannot be reached, waiting for it: ${messageOf(error)}`);
      }
      await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }
}

const passingCodes =
  /^(08...|57P0.|40001|40P01|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const passingTexts =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed/;

/** True for what goes away by itself: a lost connection, a starting server, two transactions that met. */
export function isTransient(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && passingCodes.test(at.code)) return true;
    if (passingTexts.test(at.message)) return true;
    if (at instanceof AggregateError && at.errors.some(isTransient)) return true;
  }
  return false;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
