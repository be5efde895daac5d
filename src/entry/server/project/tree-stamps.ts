import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const closedFolders = new Set(['node_modules', 'dist', 'coverage']);
const mostFiles = 20_000;

/** Files by their path relative to a folder, each with a text that changes when the file does. */
export type TreeStamps = ReadonlyMap<string, string>;

/** The files below a folder; hidden and generated folders do not count. */
export async function treeStamps(folder: string): Promise<TreeStamps> {
  const stamps = new Map<string, string>();
  const folders = [''];
  for (let next = folders.pop(); next !== undefined && stamps.size < mostFiles; next = folders.pop()) {
    const here = next;
    const entries = (await readdir(join(folder, here), { withFileTypes: true }).catch(() => [])).filter(isOpen);
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(here, entry.name));
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(here, name));
    const found = await Promise.all(files.map(async (file) => [file, await stampOf(join(folder, file))] as const));
    for (const [file, stamp] of found) stamps.set(file, stamp);
  }
  return stamps;
}

/** The files that were made, changed or removed between two looks at a folder. */
export function changedFiles(before: TreeStamps, now: TreeStamps): string[] {
  const all = new Set([...before.keys(), ...now.keys()]);
  return [...all].filter((file) => before.get(file) !== now.get(file));
}

function isOpen({ name }: Dirent): boolean {
  return !name.startsWith('.') && !closedFolders.has(name);
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return `${found?.mtimeMs}:${found?.size}:${found?.ino}`;
}
