import { resolve } from 'node:path';
import { AssayError } from '../domain/errors.ts';
import type { Store } from './store.ts';

/** The store that is used when none is named. */
export const defaultStoreUrl = 'sqlite:.assay/assay.db';

/** Opens the store that a URL names; paths are relative to the given folder. */
export async function openStore(url: string, folder: string): Promise<Store> {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined) {
    throw new AssayError('USAGE', `Unknown store "${url}".`, {
      hint: 'A store is named like `sqlite:.assay/assay.db`.',
    });
  }
  const { openSqliteStore } = await import('./sql/open-sqlite.ts');
  return openSqliteStore(path === ':memory:' ? path : resolve(folder, path));
}
