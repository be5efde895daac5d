import { dirname } from 'node:path';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import Database from 'libsql';
import { AssayError } from '../../domain/errors.ts';
import type { SqlDialectWords } from '../migrations/migration.ts';
import { makeOwnFolder } from '../own-folder.ts';
import { migrate } from './migrate.ts';
import type { SqlDatabase } from './sql-database.ts';
import { createSqlStore } from './sql-store.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import type { Tables } from './tables.ts';

const busyTimeoutMs = 30_000;

const sqliteWords: SqlDialectWords = {
  id: 'text',
  generatedId: 'integer',
  bytes: 'blob',
  generated: (column) => column.autoIncrement(),
  // Who writes has the file for itself until the transaction ends.
  lockSchema: async () => undefined,
};

/** Opens, and makes if need be, the embedded store in a file; several processes may have it open at once. */
export async function openSqlite(path: string): Promise<SqlDatabase> {
  try {
    if (path !== ':memory:') makeOwnFolder(dirname(path));
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connect(path) }) });
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

function connect(path: string): SqliteDatabase {
  const connection = new Database(path);
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  connection.pragma('journal_mode = WAL');
  // FULL: a commit that was acknowledged survives a power cut.
  connection.pragma('synchronous = FULL');
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => {
      // Statements that are not collected yet would keep the connection, and so its log, open.
      connection.pragma('wal_checkpoint(TRUNCATE)');
      connection.close();
    },
    // Preparing costs more than running most of our statements, and there are few different ones.
    prepare: (text) => {
      const known = statements.get(text);
      if (known) return known;
      const statement = connection.prepare(text) as unknown as SqliteStatement;
      if (statements.size < 100) statements.set(text, statement);
      return statement;
    },
  };
}
