import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PackedTrials } from './packed-trials.ts';
import type { RowInsertion, StoringCondition } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { rowValues, trialColumns } from './trial-row.ts';
import { type CountingEngine, tallyRecords } from './trial-tally.ts';

type Database = Kysely<Tables>;

const always: StoringCondition = { parts: sql``, holds: sql<SqlBool>`true` };

/** However many rows there are, they go as one array for each column. */
export function insertionOf(
  { table, columns, ending, expressions = {} }: RowInsertion,
  rows: readonly (readonly unknown[])[],
  holds: RawBuilder<SqlBool> = always.holds,
): RawBuilder<unknown> {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => sql`${rows.map((row) => row[index])}::${sql.raw(type)}[]`);
  const selected = names.map((name) => (expressions[name] ? `(select ${expressions[name]})` : `given.${name}`));
  return sql`insert into ${sql.table(table)} (${sql.raw(names.join())}) select ${sql.raw(selected.join())}
    from unnest(${sql.join(arrays)}) as given(${sql.raw(names.join())}) where ${holds} ${sql.raw(ending)}`;
}

const idsTakenAhead = 64;

/** Ids for packs, many of which are taken at a time; those that are not used any more are never given to another pack. */
export class PackIds {
  #free: number[] = [];
  #taking: Promise<void> | undefined;

  async take(db: Database, count: number): Promise<number[]> {
    while (this.#free.length < count) {
      this.#taking ??= this.#takeAhead(db, Math.max(count, idsTakenAhead)).finally(() => {
        this.#taking = undefined;
      });
      await this.#taking;
    }
    return this.#free.splice(0, count);
  }

  async #takeAhead(db: Database, count: number): Promise<void> {
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('packs', 'pack_id')) as id from generate_series(1, ${count}::int)`.execute(
      db,
    );
    this.#free.push(...rows.map(({ id }) => Number(id)));
  }
}

const uniqueViolation = '23505';

const trialInsertion: RowInsertion = { table: 'trials', columns: trialColumns, ending: 'returning 1' };

/**
 * Stores trials of which none is stored yet, with their documents and counts, in one statement, which is a transaction and
 * a single round trip. False where one was stored before or the condition does not hold: nothing is changed then.
 */
export async function saveAtOnce(
  db: Database,
  engine: CountingEngine,
  ids: PackIds,
  packed: readonly PackedTrials[],
  { parts, holds }: StoringCondition = always,
): Promise<boolean> {
  if (packed.length === 0) return false;
  const packIds = await ids.take(db, 2 * packed.length);
  const packs = packed.flatMap(({ trials, findings, traces }, index) =>
    [findings, traces].map(({ body, checksum }, which) => {
      const runId = trials[0]?.record.runId ?? '';
      return sql`(${packIds[2 * index + which]}::int8, ${runId}::text, ${body}::bytea, ${checksum}::int8)`;
    }),
  );
  const rows = packed.flatMap(({ trials }, index) => {
    const [findingsPack = 0, tracePack = 0] = packIds.slice(2 * index);
    return trials.map(({ record }, slot) => rowValues(record, { findingsPack, tracePack, slot }));
  });
  const records = packed.flatMap(({ trials }) => trials.map(({ record }) => record));
  const counts = tallyRecords(engine, records);
  const statement = sql<{ stored: number }>`with ${parts} stored_packs as (
      insert into packs (pack_id, run_id, body, checksum) overriding system value
      select * from (values ${sql.join(packs)}) as given(pack_id, run_id, body, checksum) where ${holds}
    ), stored as (
      ${insertionOf(trialInsertion, rows, holds)}
    ), stored_counts as (
      ${insertionOf(counts.insertion, counts.rows, holds)}
    ) select count(*)::int as stored from stored`;
  try {
    return ((await statement.execute(db)).rows[0]?.stored ?? 0) > 0;
  } catch (error) {
    if ((error as { code?: unknown }).code === uniqueViolation) return false;
    throw error;
  }
}
