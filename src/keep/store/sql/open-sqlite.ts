import { dirname } from 'node:path';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { AssayError } from '../../../domain/errors.ts';
import type { SqlDialectWords } from '../migrations/migration.ts';
import { makeOwnFolder } from '../own-folder.ts';
import { migrate } from './migrate.ts';
import type { SqlDatabase } from './sql-database.ts';
import { createSqlStore } from './sql-store.ts';
import { connectSqlite } from './sqlite-connection.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import type { Tables } from './tables.ts';

/** How SQLite words the schema. */
export const sqliteWords: SqlDialectWords = {
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
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connectSqlite(path) }) });
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
