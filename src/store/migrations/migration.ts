import type { ColumnDataType, ColumnDefinitionBuilder, Kysely } from 'kysely';

/** The few words in which the SQL engines differ. */
export interface SqlDialectWords {
  readonly generatedId: ColumnDataType;
  readonly bytes: ColumnDataType;
  generated(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

/** One numbered step of the database schema; never changed once released. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  up(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void>;
}
