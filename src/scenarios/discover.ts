import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { AssayError } from '../domain/errors.ts';
import { dataExtensions } from './source-file.ts';

const skippedFolders = new Set(['node_modules', 'dist', 'coverage']);

/** A file to read; one that the user named must be a scenario, one that lay in a folder may be something else. */
export interface FoundFile {
  readonly file: string;
  readonly isNamed: boolean;
}

/** The files that the given paths stand for, in a fixed order. Hidden and generated folders are not entered. */
export async function discoverFiles(paths: readonly string[], folder: string): Promise<FoundFile[]> {
  const found = new Map<string, FoundFile>();
  for (const path of paths) {
    const entry = await stat(resolve(folder, path)).catch(() => undefined);
    if (!entry) throw new AssayError('FILE_NOT_FOUND', `There is no file or folder ${path}.`);
    const files = entry.isDirectory() ? await filesBelow(path, folder) : [path];
    for (const file of files) if (!found.has(file)) found.set(file, { file, isNamed: !entry.isDirectory() });
  }
  return [...found.values()];
}

async function filesBelow(path: string, folder: string): Promise<string[]> {
  const entries = await readdir(resolve(folder, path), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.') && !skippedFolders.has(entry.name)) {
      files.push(...(await filesBelow(inside, folder)));
    } else if (entry.isFile() && isDataFile(entry.name)) files.push(inside);
  }
  return files;
}

function isDataFile(name: string): boolean {
  return !name.startsWith('.') && (dataExtensions as readonly string[]).includes(extname(name).toLowerCase());
}
