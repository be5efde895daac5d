import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

interface ZipEntry {
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const endSignature = 0x06054b50;
const end64Signature = 0x06064b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const locatorBytes = 20;
const end64Bytes = 56;
const longestComment = 65_535;
const mostDirectoryBytes = 64 * 1_048_576;
const mostEntryBytes = 64 * 1_048_576;
const inFull = 0xffffffff;
const stored = 0;
const deflated = 8;
const zstandard = 93;
const inflate = promisify(zlib.inflateRaw);

/** A ZIP archive whose entries are read one by one. A damaged archive has no entries and says why. */
export class ZipFile {
  readonly #file: FileHandle;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly damage: string | undefined;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, ZipEntry>, damage: string | undefined) {
    this.#file = file;
    this.#entries = entries;
    this.damage = damage;
  }

  static async open(path: string): Promise<ZipFile> {
    const file = await open(path);
    try {
      const directory = await readDirectory(file);
      return typeof directory === 'string'
        ? new ZipFile(file, new Map(), directory)
        : new ZipFile(file, directory, undefined);
    } catch (error) {
      if (error instanceof RangeError) return new ZipFile(file, new Map(), 'the list of the archive is damaged');
      await file.close();
      throw error;
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Undefined when there is no such entry. */
  async read(name: string): Promise<{ readonly bytes: Buffer } | { readonly damage: string } | undefined> {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.bytes > mostEntryBytes || entry.packedBytes > mostEntryBytes)
      return { damage: 'the entry is too long and was left out' };
    const local = await bytesAt(this.#file, entry.offset, 30);
    if (local.length < 30 || local.readUInt32LE(0) !== localSignature) return { damage: 'the entry is damaged' };
    const begin = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = await bytesAt(this.#file, begin, entry.packedBytes);
    if (packed.length < entry.packedBytes) return { damage: 'the archive ends within the entry' };
    return unpacked(packed, entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

async function unpacked(packed: Buffer, { method, bytes }: ZipEntry): Promise<{ bytes: Buffer } | { damage: string }> {
  try {
    if (method === stored) return { bytes: packed };
    if (method === deflated) return { bytes: await inflate(packed, { maxOutputLength: Math.max(1, bytes) }) };
    if (method === zstandard) return unpackedZstandard(packed, bytes);
    return { damage: `compressed with method ${method}, which is not supported` };
  } catch {
    return { damage: 'the entry is damaged' };
  }
}

/** Node has Zstandard from version 22.15 on. */
function unpackedZstandard(packed: Buffer, bytes: number): { bytes: Buffer } | { damage: string } {
  const { zstdDecompressSync: decompress } = zlib as {
    zstdDecompressSync?: (packed: Buffer, options: { maxOutputLength: number }) => Buffer;
  };
  if (!decompress) {
    return {
      damage:
        'compressed with Zstandard, which needs Node 22.15 or newer; or convert the log with `inspect log convert --to json`',
    };
  }
  return { bytes: decompress(packed, { maxOutputLength: Math.max(1, bytes) }) };
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The entries by name, or what is wrong with the archive. */
async function readDirectory(file: FileHandle): Promise<Map<string, ZipEntry> | string> {
  const { size } = await file.stat();
  const tailLength = Math.min(size, endBytes + longestComment + locatorBytes + end64Bytes);
  const tail = await bytesAt(file, size - tailLength, tailLength);
  let end = tail.length - endBytes;
  while (end >= 0 && tail.readUInt32LE(end) !== endSignature) end--;
  if (end < 0) return 'the archive is cut off: its list of entries is missing';
  let length = tail.readUInt32LE(end + 12);
  let offset = tail.readUInt32LE(end + 16);
  const end64 = end - locatorBytes - end64Bytes;
  if ((length === inFull || offset === inFull) && end64 >= 0 && tail.readUInt32LE(end64) === end64Signature) {
    length = Number(tail.readBigUInt64LE(end64 + 40));
    offset = Number(tail.readBigUInt64LE(end64 + 48));
  }
  if (length > mostDirectoryBytes || offset + length > size) return 'the list of the archive is damaged';
  return entriesIn(await bytesAt(file, offset, length));
}

function entriesIn(directory: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature) {
    const nameLength = directory.readUInt16LE(at + 28);
    const extraLength = directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const sizes = {
      bytes: directory.readUInt32LE(at + 24),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    };
    entries.set(name, { method: directory.readUInt16LE(at + 10), ...withLongSizes(sizes, extra) });
    at += 46 + nameLength + extraLength + directory.readUInt16LE(at + 32);
  }
  return entries;
}

type Sizes = Pick<ZipEntry, 'bytes' | 'packedBytes' | 'offset'>;

/** Sizes that do not fit in 32 bits are in an extra field, in this order. */
function withLongSizes(sizes: Sizes, extra: Buffer): Sizes {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  if (at + 4 > extra.length) return sizes;
  at += 4;
  const long = (size: number): number => {
    if (size !== inFull) return size;
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  };
  return { bytes: long(sizes.bytes), packedBytes: long(sizes.packedBytes), offset: long(sizes.offset) };
}
