import type { Kysely } from 'kysely';
import { asAssayError } from '../domain/errors.ts';
import { chunkIdsOf } from '../keep/bundles/manifest.ts';
import { StoredFiles } from '../keep/bundles/stored-files.ts';
import type { Tables } from '../keep/store/sql/tables.ts';

/** What is wrong with the files of runs: every piece is read and held against its name. */
export async function damagedFiles(db: Kysely<Tables>): Promise<string[]> {
  const files = new StoredFiles(db);
  const problems: string[] = [];
  const seen = new Set<string>();
  const sets = await db.selectFrom('run_files').select(['set_id', 'run_id']).distinct().orderBy('run_id').execute();
  for (const { set_id: setId, run_id: runId } of sets) {
    if (seen.has(setId)) continue;
    seen.add(setId);
    try {
      const { entries } = await files.readSet(setId);
      const unread = chunkIdsOf(entries).filter((id) => !seen.has(id));
      for (const id of unread) seen.add(id);
      for await (const _ of files.readChunks(unread));
    } catch (error) {
      problems.push(`Files of run ${runId}: ${asAssayError(error, 'STORE_CORRUPT').message}`);
    }
  }
  return problems;
}
