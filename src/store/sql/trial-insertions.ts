import { CompiledQuery, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import type { rowOf } from './trial-row.ts';

type TrialRow = ReturnType<typeof rowOf>;

const rowsPerStatement = 32;

/**
 * Inserts trial rows. Building a statement costs more than running it, so there are two, one for a full chunk and one
 * for a single row, each built once and used for the life of the store.
 */
export class TrialInsertions {
  readonly #statements = new Map<number, string>();

  async insert(db: Kysely<Tables>, rows: readonly TrialRow[]): Promise<void> {
    let next = 0;
    while (next < rows.length) {
      const size = rows.length - next >= rowsPerStatement ? rowsPerStatement : 1;
      const chunk = rows.slice(next, next + size);
      await db.executeQuery(CompiledQuery.raw(this.#statement(db, chunk), chunk.flatMap(valuesOf)));
      next += size;
    }
  }

  #statement(db: Kysely<Tables>, chunk: readonly TrialRow[]): string {
    let text = this.#statements.get(chunk.length);
    if (text === undefined) {
      const insert = db.insertInto('trials').values(chunk);
      text = insert.onConflict((conflict) => conflict.column('trial_id').doNothing()).compile().sql;
      this.#statements.set(chunk.length, text);
    }
    return text;
  }
}

/** In the order of the keys, which is the order that the statement was built in. */
function valuesOf(row: TrialRow): unknown[] {
  return Object.values(row);
}
