import { randomUUID } from 'node:crypto';
import { closeSync, constants, createWriteStream, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolders } from './make-folders.ts';
import type { Redacted, RedactedBytes } from './redaction/redacted.ts';

/**
 * The only way into a file for texts of runs, models, agents and servers: it takes texts that redaction has made.
 * `test/structure/border.test.ts` names the modules that write other things, and why.
 */

/** Who reads a file beside its user: one that is made to be shared has the usual rights. */
interface Sharing {
  readonly isShared?: boolean;
}

const modeOf = ({ isShared = false }: Sharing): number => (isShared ? 0o666 : 0o600);

/**
 * Writes a file whole or not at all: readers see all of it or what was there before, and a link that lies there is
 * replaced, not followed. The folders that it lies in are made.
 */
export async function writeWhole(
  path: string,
  content: Redacted | RedactedBytes,
  sharing: Sharing = {},
): Promise<void> {
  await replaceBy(path, (unfinished) => writeFile(unfinished, content, { flag: 'wx', mode: modeOf(sharing) }));
}

/** The same for a text of any size, which comes in pieces. */
export async function writePieces(path: string, pieces: AsyncIterable<Redacted>, sharing: Sharing = {}): Promise<void> {
  await replaceBy(path, (unfinished) =>
    pipeline(Readable.from(pieces), createWriteStream(unfinished, { flags: 'wx', mode: modeOf(sharing) })),
  );
}

async function replaceBy(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  makeFolders(dirname(path));
  const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The same at once, for a state that has to be there before anything goes on. */
export function writeWholeAtOnce(path: string, text: Redacted): void {
  makeFolders(dirname(path));
  const unfinished = `${path}.tmp`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** Writes into a file of the user, or one that the user has named: it keeps its rights, and may be a link or a device. */
export function overwrite(path: string, text: Redacted): void {
  writeFileSync(path, text);
}

/** Writes a file that must not be there yet, also not as a link. */
export async function writeNew(path: string, text: Redacted, sharing: Sharing = { isShared: true }): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: modeOf(sharing) });
}

const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * Appends a line in a single write, which local file systems do not mix with those of other processes, and waits until it
 * is durable where that is wanted. The rest of a line that a crash cut short is ended first, so it damages no other line.
 */
export async function appendLine(path: string, line: Redacted, isDurable = false): Promise<void> {
  await using file = await open(path, appending, 0o600);
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isTorn = size > 0 && last.toString() !== '\n';
  const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written`);
  if (isDurable) await file.datasync();
}

/** A file that is written as things happen, each text at once. */
export class GrowingFile implements Disposable {
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /** One that must not be there yet. */
  static begin(path: string): GrowingFile {
    return new GrowingFile(openSync(path, 'wx', 0o600));
  }

  /** One that may be there, in a folder that may not. */
  static continue(path: string): GrowingFile {
    makeFolders(dirname(path));
    return new GrowingFile(openSync(path, 'a', 0o600));
  }

  write(text: Redacted): void {
    writeSync(this.#file, text);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
