import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file whole or not at all: readers see all of it or what was there before, and a link that lies there is
 * replaced, not followed. The folders that it lies in are made. Only the user can read it, unless it is made to be shared.
 */
export async function writeWhole(path: string, content: string | Uint8Array, { isShared = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    await writeFile(unfinished, content, { flag: 'wx', mode: isShared ? 0o666 : 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
