import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { CompiledQuery, Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { makeOwnFolder } from '../open-store.ts';
import type { SqlDialectWords } from './columns.ts';
import { openDatabase } from './open-database.ts';
import { sqliteTextSearch } from './read-trials.ts';
import { saveNewTrials } from './save-trials.ts';
import { type InsertRows, migrate, type RowInsertion, type SqlEngine, wholeSchema } from './sql-engine.ts';
import { createSqlStore } from './sql-store.ts';
import { sqliteTrials } from './sqlite-rows.ts';
import type { SqlDatabase, Tables } from './tables.ts';

const busyTimeoutMs = 30_000;

/** Preparing costs more than running most of our statements, and there are few different ones. */
const mostKeptStatements = 100;

/** An open database file, as Kysely uses it. */
interface SqliteConnection extends SqliteDatabase {
  /** The medium or its permissions allow no writes. */
  readonly isReadOnly: boolean;
  /** Gives an empty database the whole schema in one step; statement by statement it takes several times as long. */
  fillWhenEmpty(): void;
}

/** Opens a database file, or one in memory; creates the file unless it exists. */
export function connectSqlite(path: string): SqliteConnection {
  const isReadOnly = path !== ':memory:' && existsSync(path) && !isWritable(path);
  const database = isReadOnly ? openReadOnly(path) : openWritable(path);
  const assertFileIsOurs = path === ':memory:' ? () => {} : fileCheck(path);
  const assertInPlace = () => {
    if (!database.isTransaction) assertFileIsOurs();
  };
  const statements = new Map<string, SqliteStatement>();
  return {
    isReadOnly,
    fillWhenEmpty: () => fillWhenEmpty(database),
    close: () => {
      if (!isReadOnly && database.isOpen) foldLogBack(database);
      database.close();
    },
    prepare: (text) => {
      const kept = statements.get(text);
      if (kept) return kept;
      const statement =
        text === 'rollback' ? rollback(database) : kyselyStatement(database.prepare(text), path, assertInPlace);
      if (statements.size < mostKeptStatements) statements.set(text, statement);
      return statement;
    },
  };
}

function openWritable(path: string): DatabaseSyncInstance {
  const database = openDatabase(path, busyTimeoutMs);
  database.exec('pragma journal_mode = WAL');
  // FULL: an acknowledged commit survives a power cut.
  database.exec('pragma synchronous = FULL');
  return database;
}

function fillWhenEmpty(database: DatabaseSyncInstance): void {
  const isEmpty = () => database.prepare('select 1 from sqlite_master limit 1').get() === undefined;
  if (!isEmpty()) return;
  // Another process may be doing the same at this moment.
  database.exec('begin immediate');
  try {
    if (isEmpty()) database.exec(wholeSchema(sqliteWords));
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Without `immutable`, SQLite would have to create the shared memory of the write-ahead log beside the file. */
function openReadOnly(path: string): DatabaseSyncInstance {
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) {
    throw new AssayError('STORE_UNAVAILABLE', `The store ${path} is read-only and was not closed cleanly.`, {
      hint: 'Copy the database and its -wal file to a folder that can be written, and open it there.',
    });
  }
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** Statements that are not collected yet would keep the log open. What stays in the log is read from there next time. */
function foldLogBack(database: DatabaseSyncInstance): void {
  try {
    database.exec('pragma wal_checkpoint(TRUNCATE)');
  } catch {}
}

function isWritable(path: string): boolean {
  try {
    for (const needed of [path, dirname(path)]) accessSync(needed, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** SQLite goes on with a file that was deleted or replaced: new rows would be lost, and what is read would be of the past. */
function fileCheck(path: string): () => void {
  const identity = () => {
    const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    return `${dev}:${ino}`;
  };
  const opened = identity();
  return () => {
    if (identity() === opened) return;
    throw new AssayError('STORE_UNAVAILABLE', `The store ${path} was deleted or replaced while it was in use.`, {
      hint: 'Start Assay again; the last results of a run that was going on are not stored.',
    });
  };
}

/** After some errors SQLite has rolled back already; a second try would hide what went wrong. */
function rollback(database: DatabaseSyncInstance): SqliteStatement {
  return {
    reader: false,
    all: () => [],
    iterate: () => [].values(),
    run: () => {
      if (database.isTransaction) database.exec('rollback');
      return { changes: 0, lastInsertRowid: 0 };
    },
  };
}

function kyselyStatement(statement: StatementSyncInstance, path: string, assertInPlace: () => void): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as Parameters<StatementSyncInstance['run']>;
  return {
    reader: statement.columns().length > 0,
    all: (parameters) =>
      blamingStore(path, () => {
        const rows = statement.all(...values(parameters));
        assertInPlace();
        return rows;
      }),
    iterate: (parameters) => blamedRows(path, statement.iterate(...values(parameters)), assertInPlace),
    run: (parameters) =>
      blamingStore(path, () => {
        const result = statement.run(...values(parameters));
        assertInPlace();
        return result;
      }),
  };
}

/** Whatever the engine throws is about the store, also where the database is used without the store. */
function blamingStore<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (error instanceof AssayError) throw error;
    const { message } = asAssayError(error);
    throw new AssayError('STORE_UNAVAILABLE', `The store ${path} could not be read or written: ${message}`, {
      cause: error,
    });
  }
}

function* blamedRows(path: string, rows: Iterator<unknown>, assertInPlace: () => void): IterableIterator<unknown> {
  assertInPlace();
  for (;;) {
    const next = blamingStore(path, () => rows.next());
    if (next.done) return;
    yield next.value;
  }
}

/** A long statement costs less for each row; there is one of each length. */
const rowsPerStatement = [32, 8, 1];

/** SQL of SQLite; one process writes at a time, so one shard will do. */
function sqliteEngine(): SqlEngine {
  const engine: SqlEngine = {
    contains: sqliteTextSearch,
    insertRows: chunkedInsertion(),
    readTrials: sqliteTrials,
    eachRow: (query) => query.stream(),
    countShard: 0,
    now: () => sql`${Date.now()}`,
    async saveAtOnce(db, packed) {
      try {
        await db.transaction().execute((transaction) => saveNewTrials(transaction, engine, packed));
        return true;
      } catch (error) {
        if (error instanceof Error && isConflict(error)) return false;
        throw error;
      }
    },
  };
  return engine;
}

/** SQLITE_CONSTRAINT_PRIMARYKEY. */
const primaryKeyConflict = 1_555;

/** Whether a row is there already. */
function isConflict({ cause }: Error): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === primaryKeyConflict;
}

/** Building a statement costs more than running it, so there are few of each kind, built once and used for the life of the store. */
function chunkedInsertion(): InsertRows {
  const statements = new Map<string, string>();
  const statementFor = (insertion: RowInsertion, size: number): string => {
    const key = `${insertion.table} ${size} ${insertion.ending}`;
    const text = statements.get(key) ?? statementText(insertion, size);
    statements.set(key, text);
    return text;
  };
  return async <Returned>(...[db, insertion, rows]: Parameters<InsertRows>) => {
    const returned: Returned[] = [];
    for (let next = 0; next < rows.length; ) {
      const size = rowsPerStatement.find((length) => length <= rows.length - next) ?? 1;
      // Seventy times as quick as `flat`.
      const values = ([] as unknown[]).concat(...rows.slice(next, next + size));
      const result = await db.executeQuery<Returned>(CompiledQuery.raw(statementFor(insertion, size), values));
      returned.push(...result.rows);
      next += size;
    }
    return returned;
  };
}

function statementText({ table, columns, ending }: RowInsertion, size: number): string {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(',')})`;
  return `insert into ${table} (${names.join(',')}) values ${Array(size).fill(row).join(',')} ${ending}`;
}

/** How SQLite words the schema. */
export const sqliteWords: SqlDialectWords = {
  id: 'text',
  generatedId: 'integer primary key autoincrement',
  bytes: 'blob',
  // Who writes has the file for itself until the transaction ends.
  lockSchema: async () => undefined,
};

/** Opens, and makes if need be, the embedded store in a file; several processes may have it open at once. */
export async function openSqlite(path: string): Promise<SqlDatabase> {
  try {
    if (path !== ':memory:') makeOwnFolder(dirname(path));
    const database = connectSqlite(path);
    if (!database.isReadOnly) database.fillWhenEmpty();
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
    await migrate(db as unknown as Kysely<unknown>, sqliteWords);
    return { store: createSqlStore(db, sqliteEngine()), db, problems: () => damagedPages(db) };
  } catch (error) {
    if (error instanceof AssayError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new AssayError('STORE_UNAVAILABLE', `Cannot open the store ${path}: ${message}`, { cause: error });
  }
}

async function damagedPages(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(10)`.execute(db);
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
}
