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
