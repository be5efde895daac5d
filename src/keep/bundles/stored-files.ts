import type { Kysely } from 'kysely';
import { AssayError } from '../../domain/errors.ts';
import type { Tables } from '../store/sql/tables.ts';
import { chunkBytes, chunkIdOf, compressed, expanded } from './chunks.ts';
import { chunkIdsOf, type Manifest, readManifest } from './manifest.ts';

const idsPerStatement = 400;
const chunksPerRead = 8;
const mostManifestBytes = 512 * 1024 * 1024;

/** A piece of a file on its way into the store. */
export interface NewChunk {
  readonly chunkId: string;
  readonly bytes: Uint8Array;
}

/** Whose files a set is: of a trial, or of the run itself. */
export interface FilesOwner {
  readonly runId: string;
  readonly trialId?: string;
}

/** The files of runs in the shared store: pieces by their content, lists of files, and whose they are. */
export class StoredFiles {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;

  /** The database must be up to date and stays open. */
  constructor(db: Kysely<Tables>, now: () => number = Date.now) {
    this.#db = db;
    this.#now = now;
  }

  /** Whether the list is there, with all that it names; it then stays for a day at least. */
  async claimSet(setId: string): Promise<boolean> {
    const claimed = await this.#db
      .updateTable('file_sets')
      .set({ used_at: this.#now() })
      .where('set_id', '=', setId)
      .returning('set_id')
      .execute();
    return claimed.length > 0;
  }

  /** Those of the pieces that are there; they then stay for a day at least. */
  async claimChunks(chunkIds: readonly string[]): Promise<ReadonlySet<string>> {
    const present = new Set<string>();
    for (const part of inParts(chunkIds, idsPerStatement)) {
      const rows = await this.#db
        .updateTable('chunks')
        .set({ used_at: this.#now() })
        .where('chunk_id', 'in', part)
        .returning('chunk_id')
        .execute();
      for (const row of rows) present.add(row.chunk_id);
    }
    return present;
  }

  async addChunks(chunks: readonly NewChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const used_at = this.#now();
    const rows = await Promise.all(
      chunks.map(async ({ chunkId, bytes }) => ({ chunk_id: chunkId, body: await compressed(bytes), used_at })),
    );
    await this.#db
      .insertInto('chunks')
      .values(rows)
      .onConflict((conflict) => conflict.column('chunk_id').doUpdateSet({ used_at }))
      .execute();
  }

  /** Its chunks must be there. */
  async addSet(manifest: Manifest): Promise<void> {
    const { setId } = manifest;
    const body = await compressed(Buffer.from(manifest.text));
    await this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('file_sets')
        .values({ set_id: setId, manifest: body, used_at: this.#now() })
        .onConflict((conflict) => conflict.column('set_id').doUpdateSet({ used_at: this.#now() }))
        .execute();
      for (const part of inParts(chunkIdsOf(manifest.entries).sort(), idsPerStatement)) {
        await transaction
          .insertInto('file_set_chunks')
          .values(part.map((chunk_id) => ({ set_id: setId, chunk_id })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    });
  }

  async readSet(setId: string): Promise<Manifest> {
    const row = await this.#db
      .selectFrom('file_sets')
      .select('manifest')
      .where('set_id', '=', setId)
      .executeTakeFirst();
    if (!row) throw new AssayError('NOT_FOUND', `The store has no files ${setId.slice(0, 12)}; their run was removed.`);
    const text = await expanded(new Uint8Array(row.manifest), mostManifestBytes);
    return readManifest(setId, text?.toString('utf8') ?? '');
  }

  /** The pieces in the requested order, each checked; the same piece may be requested more than once. */
  async *readChunks(chunkIds: readonly string[]): AsyncGenerator<Buffer, void> {
    for (const part of inParts(chunkIds, chunksPerRead)) {
      const rows = await this.#db
        .selectFrom('chunks')
        .select(['chunk_id', 'body'])
        .where('chunk_id', 'in', [...new Set(part)])
        .execute();
      const bodies = new Map(rows.map((row) => [row.chunk_id, row.body]));
      for (const chunkId of part) yield await checked(chunkId, bodies.get(chunkId));
    }
  }

  /** Says whose files a set is; the run must be in the store. */
  assign(setId: string, owner: FilesOwner): Promise<void> {
    return assignFiles(this.#db, setId, owner);
  }

  async setOfTrial(trialId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('run_files')
      .select('set_id')
      .where('trial_id', '=', trialId)
      .executeTakeFirst();
    return row?.set_id;
  }

  async setOfRun(runId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('run_files')
      .select('set_id')
      .where('run_id', '=', runId)
      .where('trial_id', '=', '')
      .executeTakeFirst();
    return row?.set_id;
  }
}

/** The same within a transaction: files belong to a trial exactly when its result is stored. */
export async function assignFiles(
  db: Kysely<Tables>,
  setId: string,
  { runId, trialId = '' }: FilesOwner,
): Promise<void> {
  await db
    .insertInto('run_files')
    .values({ run_id: runId, trial_id: trialId, set_id: setId })
    .onConflict((conflict) => conflict.columns(['run_id', 'trial_id']).doUpdateSet({ set_id: setId }))
    .execute();
}

async function checked(chunkId: string, body: Uint8Array | undefined): Promise<Buffer> {
  const bytes = body && (await expanded(new Uint8Array(body), chunkBytes));
  if (bytes && chunkIdOf(bytes) === chunkId) return bytes;
  const what = body ? 'is damaged' : 'is missing';
  throw new AssayError('STORE_CORRUPT', `A stored piece of a file ${what}: ${chunkId.slice(0, 12)}.`);
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[], void> {
  for (let next = 0; next < items.length; next += size) yield items.slice(next, next + size);
}

/** Unused pieces are kept for this long, because another process may be about to use them. */
const graceMs = 24 * 3_600_000;

/**
 * Removes the files of runs that are no longer in the store, and gives the number of pieces that went. A process that is about
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
