import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Replaces a file as a whole or not at all; it keeps its permissions. */
export async function replaceFile(absolute: string, bytes: Uint8Array): Promise<void> {
  const { mode } = await stat(absolute);
  await withTemporary(absolute, bytes, mode & 0o7777, (temporary) => rename(temporary, absolute));
}

/** Makes a file with its folders; false, and nothing is touched, where there is one already. */
export async function createFile(absolute: string, bytes: Uint8Array): Promise<boolean> {
  await mkdir(dirname(absolute), { recursive: true });
  try {
    await withTemporary(absolute, bytes, undefined, (temporary) => putNew(temporary, absolute));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Not every file system has links. */
async function putNew(temporary: string, absolute: string): Promise<void> {
  try {
    await link(temporary, absolute);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(temporary, absolute, constants.COPYFILE_EXCL);
  }
}

async function withTemporary(
  absolute: string,
  bytes: Uint8Array,
  mode: number | undefined,
  put: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(absolute), `.assay-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await put(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

const byteOrderMark = '\uFEFF';

/**
 * A text as bytes in the manner of the file that it replaces: with its byte order mark, and with its line ends where an
 * editor gave all of them as line feeds.
 */
export function encodeLike(text: string, current: Buffer | undefined): Buffer {
  const before = current?.toString('utf8') ?? '';
  const hadMark = before.startsWith(byteOrderMark) && !text.startsWith(byteOrderMark);
  const lines = isAllCrlf(before) && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  return Buffer.from(hadMark ? byteOrderMark + lines : lines);
}

/** Whether a text has line ends, and each of them is CR LF. */
export function isAllCrlf(text: string): boolean {
  return /\r\n/.test(text) && !/(?<!\r)\n/.test(text);
}

/** A text for an editor that knows line feeds only; one with different line ends is left as it is. */
export function lineFeedsOnly(text: string): string {
  return isAllCrlf(text) ? text.replaceAll('\r\n', '\n') : text;
}

/** Lets what belongs to the same key happen one after the other. */
export class KeyLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
