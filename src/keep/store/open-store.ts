import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { SqlDatabase } from './sql/sql-database.ts';
import { isPostgresUrl, shownStoreUrl } from './sql/store-url.ts';
import type { Store } from './store.ts';

/** The store that is used when none is named. */
export const defaultStoreUrl = 'sqlite:.assay/assay.db';

/** What a store may tell while it works. */
export interface StoreOptions {
  /** Told of what passes by itself, such as a database that restarts. */
  warn?(message: string): void;
  /** Refuses to make a new one where there is none. */
  readonly mustExist?: boolean;
}

/** Opens the store that a URL names; paths are relative to the given folder. */
export async function openStore(url: string, folder: string, options: StoreOptions = {}): Promise<Store> {
  return (await openSqlStore(url, folder, options)).store;
}

/** The same with the database that the store is in, for what needs more than a store does. */
export async function openSqlStore(url: string, folder: string, options: StoreOptions = {}): Promise<SqlDatabase> {
  if (isPostgresUrl(url)) {
    const { openPostgres } = await import('./sql/open-postgres.ts');
    return openPostgres(url, options);
  }
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined) {
    throw new AssayError('USAGE', `Unknown store "${shownStoreUrl(url)}".`, {
      hint: 'A store is named like `sqlite:.assay/assay.db` or `postgres://user:password@host/database`.',
    });
  }
  const { openSqlite } = await import('./sql/open-sqlite.ts');
  const file = path === ':memory:' ? path : resolve(folder, path);
  if (options.mustExist && !existsSync(file)) throw new AssayError('FILE_NOT_FOUND', `There is no store ${file}.`);
  return openSqlite(file);
}
