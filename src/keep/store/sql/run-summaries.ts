import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Which summary is meant, and the state of the run that it was made of. */
interface SummaryPlace {
  readonly runId: string;
  readonly name: string;
  readonly stamp: string;
}

/** A summary of the run as it is now; a damaged one is made again like one that is not there. */
export async function readSummary(
  db: Kysely<Tables>,
  { runId, name, stamp }: SummaryPlace,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('run_summaries')
    .select(['stamp', 'body', 'checksum'])
    .where('run_id', '=', runId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (!row || row.stamp !== stamp) return undefined;
  const body = new Uint8Array(row.body);
  return crc32(body) === Number(row.checksum) ? decompress(body) : undefined;
}

/** Keeps a summary in place of an older one. */
export async function saveSummary(
  db: Kysely<Tables>,
  { runId, name, stamp }: SummaryPlace,
  content: Uint8Array,
): Promise<void> {
  const body = await compress(content, compression);
  const kept = { stamp, body, checksum: crc32(body) };
  await db
    .insertInto('run_summaries')
    .values({ run_id: runId, name, ...kept })
    .onConflict((conflict) => conflict.columns(['run_id', 'name']).doUpdateSet(kept))
    .execute();
}

/** To be done in the transaction that changes trials which are stored: the counts may stay as they are. */
export async function forgetSummaries(
  db: Kysely<Tables>,
  trials: readonly { readonly run_id: string }[],
): Promise<void> {
  const runIds = [...new Set(trials.map(({ run_id }) => run_id))];
  if (runIds.length > 0) await db.deleteFrom('run_summaries').where('run_id', 'in', runIds).execute();
}
