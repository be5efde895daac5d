import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file in one step: readers see all of it or nothing, and a link that lies there is replaced, not followed. */
export async function writeInOneStep(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await writeFile(partial, text, { flag: 'wx' });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * Appends a line in a single write, which local file systems do not mix with those of other processes. The rest of a
 * line that a crash cut short is ended first, so that it spoils no other line.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  await using file = await open(path, appending, 0o644);
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isTorn = size > 0 && last.toString() !== '\n';
  const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written`);
}
