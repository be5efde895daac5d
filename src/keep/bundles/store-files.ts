import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { chunkIdOf, chunksOf } from './chunks.ts';
import { chunkIdsOf, type FileEntry, type Manifest } from './manifest.ts';
import type { NewChunk, StoredFiles } from './stored-files.ts';

const bytesPerStatement = 1_000_000;
const chunksPerStatement = 200;

/** Brings the files of a list into the store; what is there already, from any run, is not sent again. */
export async function storeFiles(folder: string, manifest: Manifest, stored: StoredFiles): Promise<void> {
  if (await stored.claimSet(manifest.setId)) return;
  const ids = chunkIdsOf(manifest.entries);
  const present = await stored.claimChunks(ids);
  const missing = new Set(ids.filter((id) => !present.has(id)));
  const sender = new ChunkSender(stored);
  for (const entry of manifest.entries) {
    if (entry.type === 'file' && entry.chunks.some((id) => missing.has(id))) {
      await sendFile(folder, entry, missing, sender);
    }
  }
  await sender.flush();
  await stored.addSet(manifest);
}

async function sendFile(folder: string, entry: FileEntry, missing: Set<string>, sender: ChunkSender): Promise<void> {
  let index = 0;
  for await (const bytes of readAgain(folder, entry)) {
    const chunkId = entry.chunks[index++];
    if (chunkId === undefined || chunkIdOf(bytes) !== chunkId) throw changed(entry.path, 'was changed');
    if (missing.delete(chunkId)) await sender.add({ chunkId, bytes });
  }
  if (index < entry.chunks.length) throw changed(entry.path, 'was changed');
}

async function* readAgain(folder: string, { path, byteCount }: FileEntry): AsyncGenerator<Buffer, void> {
  try {
    yield* chunksOf(join(folder, path), byteCount);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw changed(path, code === 'ENOENT' ? 'vanished' : `could not be read (${message})`);
  }
}

/** Sends pieces in batches: thousands of small files take few round trips. */
class ChunkSender {
  readonly #stored: StoredFiles;
  #waiting: NewChunk[] = [];
  #waitingBytes = 0;

  constructor(stored: StoredFiles) {
    this.#stored = stored;
  }

  async add(chunk: NewChunk): Promise<void> {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.bytes.length;
    if (this.#waitingBytes >= bytesPerStatement || this.#waiting.length >= chunksPerStatement) await this.flush();
  }

  async flush(): Promise<void> {
    const chunks = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#stored.addChunks(chunks);
  }
}

function changed(path: string, what: string): AssayError {
  return new AssayError('BUNDLE_REFUSED', `${JSON.stringify(path)} ${what} while it was sent to the store.`, {
    hint: 'Start again when nothing writes to the project, or leave the file out with `bundle.exclude`.',
  });
}
