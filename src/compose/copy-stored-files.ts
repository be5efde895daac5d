import type { Kysely } from 'kysely';
import type { Tables } from '../keep/store/sql/tables.ts';

type Database = Kysely<Tables>;

const idsPerPage = 400;
/** Pieces are up to a quarter of a megabyte. */
const piecesPerStatement = 16;

/** Copies the files of runs, each piece once; gives the number of pieces that the other store did not have. */
export async function copyStoredFiles(from: Database, to: Database, runIds: readonly string[]): Promise<number> {
  let newPieces = 0;
  const copied = new Set<string>();
  for (const runId of runIds) {
    const files = await from.selectFrom('run_files').selectAll().where('run_id', '=', runId).execute();
    for (const { set_id: setId } of files.filter((file) => !copied.has(file.set_id))) {
      copied.add(setId);
      newPieces += await copySet(from, to, setId);
    }
    for (const part of inParts(files, idsPerPage))
      await to
        .insertInto('run_files')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
  return newPieces;
}

async function copySet(from: Database, to: Database, setId: string): Promise<number> {
  const set = await from.selectFrom('file_sets').selectAll().where('set_id', '=', setId).executeTakeFirst();
  if (!set) return 0;
  const members = await from.selectFrom('file_set_chunks').selectAll().where('set_id', '=', setId).execute();
  let newPieces = 0;
  // The pieces first: a list names only what is there.
  for (const part of inParts(members, idsPerPage)) {
    const ids = part.map(({ chunk_id }) => chunk_id);
    newPieces += await copyPieces(from, to, ids);
  }
  await to.transaction().execute(async (transaction) => {
    const used_at = Date.now();
    await transaction
      .insertInto('file_sets')
      .values({ set_id: setId, manifest: Buffer.from(set.manifest), used_at })
      .onConflict((conflict) => conflict.column('set_id').doUpdateSet({ used_at }))
      .execute();
    for (const part of inParts(members, idsPerPage))
      await transaction
        .insertInto('file_set_chunks')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
  return newPieces;
}

async function copyPieces(from: Database, to: Database, ids: readonly string[]): Promise<number> {
  // What is used now is not removed as unused meanwhile.
  const used_at = Date.now();
  const present = await to
    .updateTable('chunks')
    .set({ used_at })
    .where('chunk_id', 'in', ids)
    .returning('chunk_id')
    .execute();
  const known = new Set(present.map(({ chunk_id }) => chunk_id));
  const missing = ids.filter((id) => !known.has(id));
  for (const part of inParts(missing, piecesPerStatement)) {
    const rows = await from.selectFrom('chunks').selectAll().where('chunk_id', 'in', part).execute();
    if (rows.length === 0) continue;
    await to
      .insertInto('chunks')
      .values(rows.map(({ chunk_id, body }) => ({ chunk_id, body: Buffer.from(body), used_at })))
      .onConflict((conflict) => conflict.column('chunk_id').doUpdateSet({ used_at }))
      .execute();
  }
  return missing.length;
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[], void> {
  for (let next = 0; next < items.length; next += size) yield items.slice(next, next + size);
}
