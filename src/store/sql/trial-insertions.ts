import { CompiledQuery, type Insertable, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import { trialColumns } from './trial-row.ts';

const rowsPerStatement = 32;

/**
 * Inserts trial rows. Building a statement costs more than running it, so there are two, one for a full chunk and one
 * for a single row, each built once and used for the life of the store.
 */
export class TrialInsertions {
  readonly #statements = new Map<number, string>();

  /** Rows are the values of `trialColumns`. */
  async insert(db: Kysely<Tables>, rows: readonly (readonly unknown[])[]): Promise<void> {
    let next = 0;
    while (next < rows.length) {
      const size = rows.length - next >= rowsPerStatement ? rowsPerStatement : 1;
      const values = rows.slice(next, next + size).flat();
      await db.executeQuery(CompiledQuery.raw(this.#statement(db, size), values));
      next += size;
    }
  }

  #statement(db: Kysely<Tables>, size: number): string {
    const known = this.#statements.get(size);
    if (known !== undefined) return known;
    const row = Object.fromEntries(trialColumns.map((column) => [column, 0])) as unknown as Insertable<
      Tables['trials']
    >;
    const insert = db.insertInto('trials').values(Array.from({ length: size }, () => row));
    const text = insert.onConflict((conflict) => conflict.column('trial_id').doNothing()).compile().sql;
    this.#statements.set(size, text);
    return text;
  }
}
