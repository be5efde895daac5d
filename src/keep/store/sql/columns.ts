import type { ColumnType, Generated, Kysely } from 'kysely';

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

/** Numbers that Postgres may hand over as text when they are wide. */
type Wide = ColumnType<number | string, number, number>;
type WideOrNull = ColumnType<number | string | null, number | null, number | null>;

type SqlType = 'id' | 'generatedId' | 'bytes' | 'text' | 'integer' | 'bigint' | 'double precision';

/** A column of a table, with the values that it holds for Kysely. */
export interface Column<Values = unknown> {
  readonly type: SqlType;
  /** Behind the type in the schema, such as ` not null`. */
  readonly rule: string;
  /** For the compiler only. */
  readonly values?: Values;
}

function column<Values>(type: SqlType, rule = ' not null'): Column<Values> {
  return { type, rule };
}

export const id = column<string>('id');
export const generatedId = column<Generated<number>>('generatedId', '');
export const text = column<string>('text');
export const textOrNull = column<string | null>('text', '');
export const integer = column<number>('integer');
export const integerOrNull = column<number | null>('integer', '');
export const integerFromZero = column<Generated<number>>('integer', ' default 0 not null');
export const wide = column<Wide>('bigint');
export const wideOrNull = column<WideOrNull>('bigint', '');
export const wideFromZero = column<ColumnType<number | string, number | undefined, number>>(
  'bigint',
  ' default 0 not null',
);
export const real = column<number>('double precision');
export const realOrNull = column<number | null>('double precision', '');
export const bytes = column<Uint8Array>('bytes');

/** A table with its primary key and its indexes, each index as what follows the name of the table. */
export interface Table {
  readonly columns: Readonly<Record<string, Column>>;
  readonly key?: readonly string[];
  readonly indexes?: Readonly<Record<string, string>>;
}

/** The values of the columns of a table for Kysely. */
export type ValuesOf<Of extends Table> = {
  -readonly [Name in keyof Of['columns']]: Of['columns'][Name] extends Column<infer Values> ? Values : never;
};

/** The statements that make a table. */
export function creationOf(name: string, { columns, key, indexes = {} }: Table, words: SqlDialectWords): string[] {
  const engineWords: Readonly<Record<string, unknown>> = { ...words };
  const listed = Object.entries(columns).map(([column, { type, rule }]) => {
    return `${column} ${engineWords[type] ?? type}${rule}`;
  });
  const constraint = key ? [`constraint ${name}_key primary key (${key.join(', ')})`] : [];
  return [
    `create table ${name} (${[...listed, ...constraint].join(', ')})`,
    ...Object.entries(indexes).map(([index, on]) => `create index ${index} on ${name} ${on}`),
  ];
}

/** The types of columns as Postgres writes them behind a value. */
export type CastType = 'text' | 'int4' | 'int8' | 'float8';

const casts: Readonly<Partial<Record<SqlType, CastType>>> = {
  integer: 'int4',
  bigint: 'int8',
  'double precision': 'float8',
};

/** The columns in their order with these types. */
export function castsOf<Name extends string>(columns: Readonly<Record<Name, Column>>): Record<Name, CastType> {
  const types = Object.entries<Column>(columns).map(([name, { type }]) => [name, casts[type] ?? 'text']);
  return Object.fromEntries(types);
}
