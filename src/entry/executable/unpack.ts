import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The files inside an executable. */
export interface Manifest {
  /** Version of Assay. */
  readonly version: string;
  /** Name of the folder that they are unpacked to; no two builds share it. */
  readonly folder: string;
  /** Checksum of the packed files, in hexadecimal. */
  readonly sha256: string;
  /** Relative path and size of each file, in the order in which their contents follow each other. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** Written last: a folder that has it was complete, and a file that is newer was changed since. */
const stamp = '.unpacked';

const unfinished = '.unpacking-';
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * The folder with the files of the executable, unpacked at the first start into the first of the places that can be used,
 * and again when a file is missing or was changed. Other processes see all of the files or none of them.
 */
export function unpackOnce(manifest: Manifest, readPacked: () => Uint8Array, places: readonly string[]): string {
  const failures: string[] = [];
  for (const place of places) {
    try {
      return unpackIn(place, manifest, readPacked);
    } catch (error) {
      failures.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(failures.join('; '));
}

function unpackIn(place: string, manifest: Manifest, readPacked: () => Uint8Array): string {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  refuseForeignFolder(place);
  const folder = join(place, manifest.folder);
  if (isIntact(folder, manifest)) return folder;
  removeAbandoned(place);
  const fresh = join(place, `${unfinished}${randomBytes(8).toString('hex')}`);
  try {
    writeFiles(fresh, manifest, readPacked());
    moveIntoPlace(fresh, folder, manifest);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Code is run from here, so no other user may write to it. */
function refuseForeignFolder(folder: string): void {
  const { uid, mode, isFolder } = entryOf(folder);
  if (!isFolder) throw new Error('it is not a folder');
  if (uid !== process.geteuid?.()) throw new Error('it belongs to another user');
  if ((mode & 0o022) !== 0) throw new Error('other users can write to it');
}

function entryOf(path: string): { uid: number; mode: number; isFolder: boolean } {
  const entry = lstatSync(path);
  return { uid: entry.uid, mode: entry.mode, isFolder: entry.isDirectory() };
}

/** Reading every file again would delay each start, so sizes and times have to do. */
function isIntact(folder: string, { files }: Manifest): boolean {
  try {
    refuseForeignFolder(folder);
    const unpackedAt = statSync(join(folder, stamp)).mtimeMs;
    return files.every(({ path, bytes }) => {
      const file = lstatSync(join(folder, path));
      return file.isFile() && file.size === bytes && file.mtimeMs <= unpackedAt;
    });
  } catch {
    return false;
  }
}

function writeFiles(folder: string, { sha256, files }: Manifest, packed: Uint8Array): void {
  if (createHash('sha256').update(packed).digest('hex') !== sha256)
    throw new Error('the executable is damaged: the checksum of its files does not match');
  const contents = gunzipSync(packed);
  mkdirSync(folder, { mode: 0o700 });
  let start = 0;
  for (const { path, bytes } of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, contents.subarray(start, start + bytes));
    start += bytes;
  }
  writeFileSync(join(folder, stamp), '');
}

/** Another process may unpack at the same time: its files are as good as these. */
function moveIntoPlace(fresh: string, folder: string, manifest: Manifest): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(fresh, folder);
      return;
    } catch (error) {
      if (isIntact(folder, manifest)) return;
      if (attempt === 3) throw error;
      setAside(folder);
    }
  }
}

function setAside(folder: string): void {
  const aside = join(dirname(folder), `${unfinished}${randomBytes(8).toString('hex')}`);
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Processes that were killed while they unpacked leave these behind. */
function removeAbandoned(place: string): void {
  for (const name of readdirSync(place).filter((entry) => entry.startsWith(unfinished))) {
    const path = join(place, name);
    if (Date.now() - lstatSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true });
  }
}
