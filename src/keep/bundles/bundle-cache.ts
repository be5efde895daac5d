import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readlink, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { chunkIdOf, chunksOf } from './chunks.ts';
import type { Manifest, ManifestEntry } from './manifest.ts';
import type { StoredFiles } from './stored-files.ts';
import { unpackFiles } from './unpack-files.ts';

const unusedForMs = 7 * 24 * 3_600_000;

/** The unpacked bundles of a machine, in a folder that several workers may share. */
export class BundleCache {
  readonly #folder: string;
  readonly #stored: StoredFiles;
  readonly #opened = new Map<string, Promise<string>>();

  constructor(folder: string, stored: StoredFiles) {
    this.#folder = folder;
    this.#stored = stored;
  }

  /** The folder of a bundle, unpacked and checked; what was changed since it was unpacked is not used. */
  async open(bundleId: string): Promise<string> {
    const opened = this.#opened.get(bundleId) ?? this.#open(bundleId);
    this.#opened.set(bundleId, opened);
    opened.catch(() => this.#opened.delete(bundleId));
    return used(await opened);
  }

  async #open(bundleId: string): Promise<string> {
    const manifest = await this.#stored.readSet(bundleId);
    await mkdir(this.#folder, { recursive: true });
    await this.#removeUnused();
    const shared = join(this.#folder, bundleId);
    if (await isAsListed(shared, manifest)) return shared;
    // Another process may be working in the changed folder, so it stays, and this process gets a fresh one.
    const isThere = await lstat(shared).then(
      () => true,
      () => false,
    );
    const folder = isThere ? `${shared}-${randomUUID().slice(0, 8)}` : shared;
    await unpackFiles(manifest, folder, this.#stored);
    return folder;
  }

  /** The time of a folder is when it was last opened. */
  async #removeUnused(): Promise<void> {
    const limit = Date.now() - unusedForMs;
    for (const name of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{64}/.test(name)) continue;
      const path = join(this.#folder, name);
      const found = await lstat(path).catch(() => undefined);
      if (found && found.mtimeMs < limit) await rm(path, { recursive: true, force: true });
    }
  }
}

async function used(folder: string): Promise<string> {
  const now = new Date();
  await utimes(folder, now, now);
  return folder;
}

/** Whether all that is listed is in the folder as it was; what trials left beside it does not matter. */
async function isAsListed(folder: string, { entries }: Manifest): Promise<boolean> {
  for (const entry of entries) {
    if (!(await isThere(join(folder, entry.path), entry).catch(() => false))) return false;
  }
  return entries.length > 0;
}

async function isThere(path: string, entry: ManifestEntry): Promise<boolean> {
  const found = await lstat(path);
  if (entry.type === 'folder') return found.isDirectory();
  if (entry.type === 'link') return found.isSymbolicLink() && (await readlink(path)) === entry.target;
  if (!found.isFile() || found.size !== entry.byteCount || ((found.mode & 0o100) !== 0) !== entry.isExecutable)
    return false;
  let index = 0;
  for await (const chunk of chunksOf(path, entry.byteCount))
    if (chunkIdOf(chunk) !== entry.chunks[index++]) return false;
  return index === entry.chunks.length;
}
