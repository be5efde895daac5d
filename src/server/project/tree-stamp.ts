import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const closedFolders = new Set(['node_modules', 'dist', 'coverage']);
const mostFiles = 20_000;

/** A text that changes when a file below a folder is written, made or removed; hidden and generated folders do not count. */
export async function treeStamp(folder: string): Promise<string> {
  const stamp = createHash('sha256');
  let left = mostFiles;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && left > 0; next = folders.pop()) {
    const here = next;
    const entries = (await readdir(here, { withFileTypes: true }).catch(() => [])).filter(isOpen);
    const facts = await Promise.all(entries.slice(0, left).map((entry) => factsOf(entry, here)));
    left -= facts.length;
    for (const fact of facts.sort()) stamp.update(fact);
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(here, name)));
  }
  return stamp.digest('hex');
}

function isOpen({ name }: Dirent): boolean {
  return !name.startsWith('.') && !closedFolders.has(name);
}

async function factsOf({ name }: Dirent, folder: string): Promise<string> {
  const path = join(folder, name);
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? `${path}\u0000${found.mtimeMs}\u0000${found.size}\u0000${found.ino}\n` : `${path}\n`;
}
