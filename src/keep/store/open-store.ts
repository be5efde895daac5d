import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { makeFolders } from '../../shared/make-folders.ts';
import type { SqlDatabase } from './sql/tables.ts';
import type { Store } from './store.ts';

/** A store's address as it may be shown: without its password, also where the address is a broken one. */
export function shownStoreUrl(url: string): string {
  const hidden = url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@\s]*):.*@/i, '$1@');
  return hidden.replace(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1…');
}

/** True for addresses of Postgres. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** Address of a Postgres store as messages show it, without the password. */
export interface PostgresPlace {
  readonly shown: string;
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** Reads the address of a Postgres store. */
export function postgresPlace(url: string): PostgresPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed)
    throw new AssayError('USAGE', `The store ${shownStoreUrl(url)} is not a valid address.`, {
      hint: 'Write postgres://user:password@host:5432/database; write %40 for an @ in the password, %2F for a slash.',
    });
  const user = decodeURIComponent(parsed.username);
  const host = parsed.searchParams.get('host') ?? parsed.host;
  return { shown: shownStoreUrl(url), host, user, database: decodeURIComponent(parsed.pathname.slice(1)) || user };
}

/** The store that is used when none is named. */
export const defaultStoreUrl = 'sqlite:.assay/assay.db';

/** Callbacks of a store. */
interface StoreOptions {
  /** Called for interruptions that pass, such as a database restart. */
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
    const { openPostgres } = await import('./sql/postgres.ts');
    return openPostgres(url, options);
  }
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined) {
    throw new AssayError('USAGE', `Unknown store "${shownStoreUrl(url)}".`, {
      hint: url.includes(':')
        ? 'Use a URL such as `sqlite:.assay/assay.db` or `postgres://user:password@host/database`.'
        : `Write a file as \`sqlite:${url}\`, or use the URL of a Postgres database.`,
    });
  }
  const { openSqlite } = await import('./sql/sqlite.ts');
  const file = path === ':memory:' ? path : resolve(folder, path);
  if (options.mustExist && !existsSync(file)) throw new AssayError('FILE_NOT_FOUND', `There is no store ${file}.`);
  return openSqlite(file);
}

/** Creates a folder that keeps itself out of version control. */
export function makeOwnFolder(folder: string): void {
  if (makeFolders(folder) !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
}
