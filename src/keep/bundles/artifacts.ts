import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { walkFiles } from './list-files.ts';
import { describeFiles, type FileEntry, type FileProblem, type ManifestEntry, manifestOf } from './manifest.ts';
import { secretSearch } from './pack-bundle.ts';
import { storeFiles } from './store-files.ts';
import type { StoredFiles } from './stored-files.ts';
import { unpackFiles } from './unpack-files.ts';

/** More than this of one trial stays on the worker; the largest files first. */
const mostArtifactBytes = 100_000_000;

/** Of use only where the trial ran: the agent's own settings, temporary files, the shim in front of the tool. */
const localFolders = new Set(['home', 'tmp', 'recorder']);

/** Artifacts of a trial in the store. */
export interface StoredArtifacts {
  /** To be assigned to the trial together with its result. */
  readonly setId: string;
  /** Files that could not be stored, and why; the trial is judged all the same. */
  readonly leftOut: readonly FileProblem[];
}

interface ArtifactLimits {
  /** Values that must not leave this machine. */
  readonly secrets: readonly string[];
  readonly maxBytes?: number;
}

/** Puts what a trial left in its folder into the store; nothing is assigned yet, because the result may be refused. */
export async function storeArtifacts(
  folder: string,
  { secrets, maxBytes = mostArtifactBytes }: ArtifactLimits,
  stored: StoredFiles,
): Promise<StoredArtifacts> {
  const listing = await walkFiles(folder, (path) => localFolders.has(path));
  const unreadable = listing.unreadableNames.map((path) => ({ path, reason: 'has a name that is not valid Unicode' }));
  const { kept, tooMuch } = await within(maxBytes, folder, listing.paths);
  const { entries, problems } = await describeFiles(folder, kept, secretSearch(secrets));
  const manifest = manifestOf(entries);
  await storeFiles(folder, manifest, stored);
  return { setId: manifest.setId, leftOut: [...unreadable, ...tooMuch, ...problems] };
}

/** Brings what a trial left behind elsewhere into a folder that is not there yet; false when nothing is stored. */
export async function fetchArtifacts(trialId: string, folder: string, stored: StoredFiles): Promise<boolean> {
  const setId = await stored.setOfTrial(trialId);
  if (setId === undefined) return false;
  await unpackFiles(await stored.readSet(setId), folder, stored);
  return true;
}

/** Artifacts of a trial; undefined when none are stored. */
export async function listArtifacts(
  trialId: string,
  stored: StoredFiles,
): Promise<readonly ManifestEntry[] | undefined> {
  const setId = await stored.setOfTrial(trialId);
  return setId === undefined ? undefined : (await stored.readSet(setId)).entries;
}

/** A single file that a trial left behind. */
export interface ReadArtifact {
  readonly byteCount: number;
  /** Its bytes in pieces, each checked, read from the store on demand. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** Finds a file by its path, relative and with `/`; links are not followed. */
export async function readArtifact(
  trialId: string,
  path: string,
  stored: StoredFiles,
): Promise<ReadArtifact | undefined> {
  const entries = await listArtifacts(trialId, stored);
  const file = entries?.find((entry): entry is FileEntry => entry.type === 'file' && entry.path === path);
  return file && { byteCount: file.byteCount, chunks: stored.readChunks(file.chunks) };
}

async function within(
  maxBytes: number,
  folder: string,
  paths: readonly string[],
): Promise<{ readonly kept: readonly string[]; readonly tooMuch: readonly FileProblem[] }> {
  const sized = await Promise.all(paths.map(async (path) => ({ path, size: await sizeOf(join(folder, path)) })));
  sized.sort((a, b) => a.size - b.size);
  let total = 0;
  const firstTooMuch = sized.findIndex(({ size }) => {
    total += size;
    return total > maxBytes;
  });
  const keptCount = firstTooMuch === -1 ? sized.length : firstTooMuch;
  const reason = `is too large: ${maxBytes / 1_000_000} MB of a trial are kept`;
  return {
    kept: sized.slice(0, keptCount).map(({ path }) => path),
    tooMuch: sized.slice(keptCount).map(({ path }) => ({ path, reason })),
  };
}

async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}
