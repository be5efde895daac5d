import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { AssayError } from '../../../domain/errors.ts';
import { firstVersion, type Migration, migrations } from '../migrations/index.ts';
import { type CastType, creationOf, type SqlDialectWords } from './columns.ts';
import type { PackedTrials } from './packed-trials.ts';
import type { TextSearch } from './read-trials.ts';
import type { EachRow } from './row-query.ts';
import { type Tables, tables } from './tables.ts';
import type { CheckedTrial } from './trial-row.ts';

/** Rows to insert: columns with the types that they have in Postgres, and what is to be done about conflicts. */
export interface RowInsertion {
  readonly table: keyof Tables;
  readonly columns: Readonly<Record<string, CastType>>;
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

/** A condition that must hold for trials to be stored, and what is changed together with them. */
export interface StoringCondition {
  /** Parts of a `with` list that come first, with a comma after the last one. */
  readonly parts: RawBuilder<unknown>;
  readonly holds: RawBuilder<SqlBool>;
}

/** Where the SQL engines differ. */
export interface SqlEngine {
  readonly contains: TextSearch;
  readonly insertRows: InsertRows;
  /** The rows of a query, checked. */
  readonly readTrials: (query: SelectQueryBuilder<Tables, 'trials', object>) => Promise<CheckedTrial[]>;
  readonly eachRow: EachRow;
  /** Which shard of the counts a store writes to, unless the server finds one. */
  readonly countShard: number;
  /** Milliseconds since 1970 by the clock that all who share the store go by. */
  now(): RawBuilder<number>;
  /** Finds a shard that no other transaction writes to at the moment. */
  readonly freeCountShard?: string;
  /** Stores new trials in one round trip where a condition holds; false where it changed nothing. */
  readonly saveAtOnce?: (
    db: Kysely<Tables>,
    packed: readonly PackedTrials[],
    condition?: StoringCondition,
  ) => Promise<boolean>;
}

const versionTable = 'create table if not exists assay_schema (version integer primary key, name text not null)';

/** The newest schema from nothing, for an engine that takes many statements at once. */
export function wholeSchema(words: SqlDialectWords): string {
  return `${[versionTable, ...newestSchema(words, migrations)].join(';\n')};`;
}

function newestSchema(words: SqlDialectWords, steps: readonly Migration[]): string[] {
  const created = Object.entries(tables).flatMap(([name, table]) => creationOf(name, table, words));
  return [...created, ...[{ id: firstVersion, name: 'initial' }, ...steps].map(recordOf)];
}

/**
 * Brings the schema up to date, one transaction for all steps, so two processes that open a new store at once
 * do not meet half-way. A store written by a newer Assay is refused, not guessed at.
 */
export async function migrate(
  db: Kysely<unknown>,
  words: SqlDialectWords,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  const newest = steps.at(-1)?.id ?? firstVersion;
  if ((await schemaVersion(db)) === newest) return;
  await db.transaction().execute(async (transaction) => {
    await words.lockSchema(transaction);
    await sql.raw(versionTable).execute(transaction);
    const version = await schemaVersion(transaction);
    if (version > newest) {
      throw new AssayError(
        'STORE_NEWER',
        `The store has schema version ${version}; this Assay knows versions up to ${newest}.`,
      );
    }
    const lacking = steps.filter(({ id }) => id > version);
    const statements =
      version === 0
        ? newestSchema(words, steps)
        : lacking.flatMap((step) => [...step.statements(words), recordOf(step)]);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}

function recordOf({ id, name }: Pick<Migration, 'id' | 'name'>): string {
  return `insert into assay_schema (version, name) values (${id}, '${name}')`;
}

async function schemaVersion(db: Kysely<unknown>): Promise<number> {
  try {
    const { rows } = await sql<{ version: number | null }>`select max(version) as version from assay_schema`.execute(
      db,
    );
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

function isMissingTable(error: unknown): boolean {
  const undefinedTable = '42P01';
  return (
    error instanceof Error &&
    ((error as { code?: unknown }).code === undefinedTable || /no such table/.test(error.message))
  );
}
