import type { SqlDialectWords } from '../sql/columns.ts';

/** One numbered step from a released schema to the next; never changed once released. */
export interface Migration {
  /** The version of the schema that it leads to. */
  readonly id: number;
  readonly name: string;
  /** Statements in the words of an engine, each without its semicolon. */
  statements(words: SqlDialectWords): readonly string[];
}

/** The version of the schema of the first release. A new store is made with the newest schema at once (`tables.ts`). */
export const firstVersion = 1;

/** All steps from the first version on, oldest first. */
export const migrations: readonly Migration[] = [];
