import type { Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';
import type { TextSearch } from './text-search.ts';

/** Rows to insert: columns with the types that they have in Postgres, and what is to be done about conflicts. */
export interface RowInsertion {
  readonly table: keyof Tables;
  readonly columns: Readonly<Record<string, 'text' | 'int4' | 'int8' | 'float8'>>;
  /** Columns whose values the server finds, instead of those that the rows have. */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly ending: string;
}

/** Inserts rows, which are values in the order of the columns; gives what the ending returns. */
export type InsertRows = <Returned>(
  db: Kysely<Tables>,
  insertion: RowInsertion,
  rows: readonly (readonly unknown[])[],
) => Promise<Returned[]>;

/** In what the SQL engines differ when they are asked. */
export interface SqlEngine {
  readonly contains: TextSearch;
  readonly insertRows: InsertRows;
  /** Which shard of the counts a store writes to, unless the server finds one. */
  readonly countShard: number;
  /** Milliseconds since 1970 by the clock that all who share the store go by. */
  now(): RawBuilder<number>;
  /** Finds a shard that nobody else writes to at the moment. */
  readonly freeCountShard?: string;
}
