import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** Opens a database file for writing, and makes it where there is none: one that only its user may read. */
export function openDatabase(path: string, timeoutMs: number): DatabaseSyncInstance {
  if (path !== ':memory:' && !existsSync(path)) createPrivate(path);
  return new DatabaseSync(path, { timeout: timeoutMs });
}

/** SQLite gives its other files the same permissions. It reports what keeps it from making the file. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {}
}
