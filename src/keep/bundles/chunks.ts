import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';

/** How much of a file is one piece in the store. */
export const chunkBytes = 262_144;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** Less than this is compressed faster than it is handed to a thread. */
const smallBytes = 16_384;
/** A regular file may have been replaced by a link since it was listed. */
const withoutLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Id of a piece: hex SHA-256 of its bytes. */
export function chunkIdOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The pieces of a file as they are stored; all but the last are full. A file that is small when it is opened is read
 * in one go: for thousands of them, going through the thread pool takes ten times as long as reading.
 */
export async function* chunksOf(path: string, expectedBytes: number): AsyncGenerator<Buffer, void> {
  if (expectedBytes < chunkBytes) yield* slices(readAtOnce(path));
  else {
    await using file = await open(path, withoutLinks);
    yield* readChunks(file);
  }
}

/** Bytes as the store holds them. */
export async function compressed(bytes: Uint8Array): Promise<Uint8Array> {
  return bytes.length < smallBytes ? deflateRawSync(bytes, { level: 1 }) : deflate(bytes, { level: 1 });
}

/** Bytes as they were before; undefined when they are not compressed bytes, or larger than allowed. */
export async function expanded(body: Uint8Array, mostBytes: number): Promise<Buffer | undefined> {
  const options = { maxOutputLength: mostBytes };
  try {
    return body.length < smallBytes ? inflateRawSync(body, options) : await inflate(body, options);
  } catch {
    return undefined;
  }
}

function readAtOnce(path: string): Buffer {
  const file = openSync(path, withoutLinks);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function* slices(content: Buffer): Generator<Buffer, void> {
  for (let start = 0; start < content.length; start += chunkBytes) yield content.subarray(start, start + chunkBytes);
}

async function* readChunks(file: FileHandle): AsyncGenerator<Buffer, void> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let length = 0;
    while (length < chunkBytes) {
      const { bytesRead } = await file.read(chunk, length, chunkBytes - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > 0) yield length === chunkBytes ? chunk : Buffer.from(chunk.subarray(0, length));
    if (length < chunkBytes) return;
  }
}
