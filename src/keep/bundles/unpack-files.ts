import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
