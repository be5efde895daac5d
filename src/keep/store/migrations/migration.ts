import type { Kysely } from 'kysely';

/** The few words in which the SQL engines differ. */
export interface SqlDialectWords {
  /** Text that is compared byte by byte, so it has the same order on every engine. */
  readonly id: string;
  /** A number that the engine gives to each new row. */
  readonly generatedId: string;
  readonly bytes: string;
  /** Keeps others from changing the schema until the transaction ends. */
  lockSchema(transaction: Kysely<unknown>): Promise<void>;
}

/** One numbered step of the database schema; never changed once released. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Statements in the words of an engine, each without its semicolon. */
  statements(words: SqlDialectWords): readonly string[];
}
