import { Kysely, SqliteDialect } from 'kysely';
import Database from 'libsql';
import { migrate } from '../../store/sql/migrate.ts';
import type { Tables } from '../../store/sql/tables.ts';
import { StoredFiles } from '../stored-files.ts';

/** Stored files on a database in memory, and the database itself, for tests that look behind them. */
export interface MemoryFiles {
  readonly stored: StoredFiles;
  readonly db: Kysely<Tables>;
  /** SQL statements that were run so far. */
  readonly statements: { count: number };
}

/** An empty store of files; time is told by the given clock. */
export async function memoryFiles(now?: () => number): Promise<MemoryFiles> {
  const statements = { count: 0 };
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: new Database(':memory:') as never }),
    log: () => {
      statements.count++;
    },
  });
  await migrate(db as unknown as Kysely<unknown>, {
    id: 'text',
    generatedId: 'integer',
    bytes: 'blob',
    generated: (column) => column.autoIncrement(),
    lockSchema: async () => undefined,
  });
  return { stored: new StoredFiles(db, now), db, statements };
}
