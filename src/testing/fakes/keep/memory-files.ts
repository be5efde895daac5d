import { Kysely, SqliteDialect } from 'kysely';
import { StoredFiles } from '../../../keep/bundles/stored-files.ts';
import { migrate } from '../../../keep/store/sql/sql-engine.ts';
import { connectSqlite, sqliteWords } from '../../../keep/store/sql/sqlite.ts';
import type { Tables } from '../../../keep/store/sql/tables.ts';

/** Stored files on a database in memory, and the database itself, for tests that look behind them. */
export interface MemoryFiles {
  readonly stored: StoredFiles;
  readonly db: Kysely<Tables>;
  /** SQL statements that were run so far. */
  readonly statements: { count: number };
}

/** An empty store of files; the given clock supplies the time. */
export async function memoryFiles(now?: () => number): Promise<MemoryFiles> {
  const statements = { count: 0 };
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: connectSqlite(':memory:') }),
    log: () => {
      statements.count++;
    },
  });
  await migrate(db as unknown as Kysely<unknown>, sqliteWords);
  return { stored: new StoredFiles(db, now), db, statements };
}
