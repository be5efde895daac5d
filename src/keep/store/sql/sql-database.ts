import type { Kysely } from 'kysely';
import type { Store } from '../store.ts';
import type { Tables } from './tables.ts';

/** A store, and the database that it is in; whoever closes the store closes both. */
export interface SqlDatabase {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  /** What the engine itself finds damaged. */
  problems(): Promise<string[]>;
}
