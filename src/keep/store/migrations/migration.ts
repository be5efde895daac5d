import type { ColumnDataType, ColumnDefinitionBuilder, Kysely, RawBuilder } from 'kysely';

/** The few words in which the SQL engines differ. */
export interface SqlDialectWords {
  /** Text that is compared byte by byte, so it has the same order on every engine. */
  readonly id: ColumnDataType | RawBuilder<unknown>;
  readonly generatedId: ColumnDataType;
  readonly bytes: ColumnDataType;
  generated(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * Takes the checksum of a run away when the row is changed and its checksum is not: programs of an earlier version that
   * are still running know of none.
   */
  forgetStaleChecksums(db: Kysely<unknown>): Promise<void>;
  /** Keeps others from changing the schema until the transaction ends. */
  lockSchema(transaction: Kysely<unknown>): Promise<void>;
}

/** One numbered step of the database schema; never changed once released. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  up(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void>;
}
