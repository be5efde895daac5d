import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { deflate, inflate, readAtOnce, readChunks, slices, smallBytes, withoutLinks } from './store-files.ts';

/** How much of a file is one piece in the store. */
export const chunkBytes = 262_144;
/** What a piece is called: hex SHA-256 of its bytes. */
export function chunkIdOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
/**
 * The pieces of a file as they are stored; all but the last are full. A file that is small when it is asked for is read
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
/** Bytes as they were before; undefined when they are no compressed bytes, or more than there may be. */
export async function expanded(body: Uint8Array, mostBytes: number): Promise<Buffer | undefined> {
  const options = { maxOutputLength: mostBytes };
  try {
    return body.length < smallBytes ? inflateRawSync(body, options) : await inflate(body, options);
  } catch {
    return undefined;
  }
}
