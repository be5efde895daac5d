import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { FileEntry, Manifest, ManifestEntry } from './manifest.ts';
import type { StoredFiles } from './stored-files.ts';

/** Writes the files of a list into a new folder, checked piece by piece; readers see all of them or no folder. */
export async function unpackFiles(manifest: Manifest, folder: string, stored: StoredFiles): Promise<void> {
  const partial = `${folder}.${randomUUID()}.partial`;
  try {
    await mkdir(partial, { recursive: true });
    await writeEntries(manifest.entries, partial, stored);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (isTaken(error)) return;
    throw asWorkspaceError(error, folder);
  }
}

/** Writes entries into a folder that no other process writes to. Links come last, so no file is written through one. */
async function writeEntries(entries: readonly ManifestEntry[], folder: string, stored: StoredFiles): Promise<void> {
  const folders = new Set(entries.map(({ path, type }) => (type === 'folder' ? path : dirname(path))));
  for (const path of folders) await mkdir(join(folder, path), { recursive: true });
  const files = entries.filter((entry) => entry.type === 'file');
  const chunks = stored.readChunks(files.flatMap((file) => file.chunks));
  for (const file of files) await writeFile(join(folder, file.path), file, chunks);
  for (const entry of entries) if (entry.type === 'link') await symlink(entry.target, join(folder, entry.path));
}

async function writeFile(path: string, entry: FileEntry, chunks: AsyncGenerator<Buffer, void>): Promise<void> {
  await using file = await open(path, 'wx', entry.isExecutable ? 0o755 : 0o644);
  let written = 0;
  for (let index = 0; index < entry.chunks.length; index++) {
    const { value } = await chunks.next();
    if (value) written += await writeAll(file, value);
  }
  if (written === entry.byteCount) return;
  throw new AssayError(
    'STORE_CORRUPT',
    `${JSON.stringify(entry.path)} has ${written} bytes instead of ${entry.byteCount}.`,
  );
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<number> {
  let written = 0;
  while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
  return written;
}

/** Another process has unpacked the same manifest meanwhile: the folder is named after its content. */
function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function asWorkspaceError(error: unknown, folder: string): AssayError {
  if (error instanceof AssayError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new AssayError('WORKSPACE_FAILED', `The files cannot be unpacked into ${folder}: ${why}.`, {
    hint: 'Check that the folder can be written and that the disk has room.',
    cause: error,
  });
}

interface Entry {
  readonly type: 'file' | 'link' | 'folder';
  readonly path: string;
  readonly target?: string;
}

const longestPath = 4_096;

/**
 * Why entries cannot be unpacked safely; undefined when they can. No entry lies below a file or a link, so every
 * folder above one is a real folder, and a link that is safe by itself stays safe beside all others.
 */
export function entryProblem(entries: readonly Entry[]): string | undefined {
  const leaves = new Set<string>();
  for (const { path } of entries) {
    if (leaves.has(path)) return `${JSON.stringify(path)} is in it twice`;
    leaves.add(path);
  }
  for (const entry of entries) {
    const problem = pathProblem(entry.path) ?? (entry.type === 'link' ? linkProblem(entry) : undefined);
    if (problem !== undefined) return `${JSON.stringify(entry.path)} ${problem}`;
    const above = parentsOf(entry.path).find((parent) => leaves.has(parent));
    if (above !== undefined) return `${JSON.stringify(entry.path)} lies below ${JSON.stringify(above)}`;
  }
  return undefined;
}

/** Why a path cannot be that of a file in a folder; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > longestPath) return 'is not a valid path';
  if (path.includes('\0') || !path.isWellFormed()) return 'is not a valid path';
  if (sep === '\\' && /[\\:]/.test(path)) return 'cannot be written here';
  const steps = path.split('/');
  return steps.some((step) => step === '' || step === '.' || step === '..') ? 'leads out of the folder' : undefined;
}

/**
 * Why a link cannot travel; undefined when it can. `..` may only stand at the beginning: behind the name of another
 * link it would mean something else than it seems to.
 */
export function linkProblem({ path, target = '' }: Pick<Entry, 'path' | 'target'>): string | undefined {
  const points = `points to ${JSON.stringify(target)}`;
  if (target === '' || target.includes('\0') || !target.isWellFormed()) return `${points}, which is not a valid path`;
  if (posix.isAbsolute(target) || (sep === '\\' && /[\\:]/.test(target))) return `${points}, out of the folder`;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const firstName = steps.findIndex((step) => !isUp(step));
  if (firstName !== -1 && steps.slice(firstName).some(isUp)) return `${points}, by a detour`;
  const reached = posix.join(posix.dirname(path), target);
  return reached === '..' || reached.startsWith('../') ? `${points}, out of the folder` : undefined;
}

function isUp(step: string): boolean {
  return step === '..';
}

function parentsOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}
