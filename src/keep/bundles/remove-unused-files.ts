import type { Kysely } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';

/** What nobody needs any more is kept for so long, because somebody may be about to need it. */
const graceMs = 24 * 3_600_000;

/**
 * Removes the files of runs that are no longer in the store, and gives the number of pieces that went. Whoever is about
 * to use a list or a piece has claimed it, which keeps it for longer than any upload takes.
 */
export async function removeUnusedFiles(db: Kysely<Tables>, now: number): Promise<number> {
  const before = now - graceMs;
  return db.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom('run_files')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('runs').select('run_id').whereRef('runs.run_id', '=', 'run_files.run_id'))),
      )
      .execute();
    await transaction
      .deleteFrom('file_sets')
      .where('used_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('run_files').select('set_id').whereRef('run_files.set_id', '=', 'file_sets.set_id'))),
      )
      .execute();
    await transaction
      .deleteFrom('file_set_chunks')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('file_sets').select('set_id').whereRef('file_sets.set_id', '=', 'file_set_chunks.set_id')),
        ),
      )
      .execute();
    const removed = await transaction
      .deleteFrom('chunks')
      .where('used_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('file_set_chunks').select('set_id').whereRef('file_set_chunks.chunk_id', '=', 'chunks.chunk_id'),
          ),
        ),
      )
      .returning('chunk_id')
      .execute();
    return removed.length;
  });
}
