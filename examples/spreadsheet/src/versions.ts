import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failures } from './failures.ts';

/** The name of a version: the SHA-256 of its bytes. */
export function storageIdOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads a version and makes sure that it is the one that was stored. */
export async function readVersion(folder: string, storageId: string, type: string): Promise<Buffer> {
  const bytes = await readFile(versionPath(folder, storageId, type)).catch((cause) => {
    throw failures.download(cause);
  });
  if (storageIdOf(bytes) !== storageId) throw failures.download('the content does not match its storage id');
  return bytes;
}

/** Stores a version either completely, even after a power cut, or not at all. */
export async function writeVersion(folder: string, bytes: Buffer, type: string): Promise<string> {
  const storageId = storageIdOf(bytes);
  const path = versionPath(folder, storageId, type);
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeDurably(temporaryPath, bytes);
    await rename(temporaryPath, path);
  } catch (cause) {
    await rm(temporaryPath, { force: true });
    throw cause;
  }
  await syncFolder(dirname(path));
  return storageId;
}

/** Makes the names in a folder survive a power cut; Windows does it by itself and cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function versionPath(folder: string, storageId: string, type: string): string {
  return join(folder, 'versions', `${storageId}.${type}`);
}
