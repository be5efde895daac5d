import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Raw size at which a pack is closed, so that reading one trial never unpacks much more than this. */
export const packRawLimit = 1_000_000;

/** Compressed bytes and their checksum, as a row holds them. */
export interface Pack {
  readonly body: Uint8Array;
  readonly checksum: number;
}

/** Packs documents, one JSON line each; the line number is the slot. */
export async function packLines(lines: readonly string[]): Promise<Pack> {
  const body = await deflate(Buffer.from(lines.join('\n')), { level: 1 });
  return { body, checksum: crc32(body) };
}

/** The lines of a pack, or undefined when its bytes are not those that were written. */
export async function unpackLines(pack: Pack): Promise<string[] | undefined> {
  if (crc32(pack.body) !== pack.checksum) return undefined;
  return (await inflate(pack.body)).toString('utf8').split('\n');
}
