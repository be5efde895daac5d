import { createHash, type Hash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { type BytePath, fileOf } from './byte-path.ts';

const deepest = 2;
const entryLimit = 2_000;

/**
 * A text that changes when something is done to the upper levels of a folder, which commits and installations always
 * do. What is only changed further down is not noticed.
 */
export function summaryOf(folder: BytePath): string {
  const hash = createHash('sha256');
  describe(folder, 1, hash, { left: entryLimit });
  return hash.digest('base64');
}

function describe(folder: BytePath, depth: number, hash: Hash, entries: { left: number }): void {
  for (const entry of sortedEntries(folder)) {
    if (entries.left-- <= 0) return;
    const path = `${folder}${entry.name}`;
    hash.update(`${depth} ${JSON.stringify(entry.name)} ${timeAndSize(path)}\n`);
    if (entry.isDirectory() && depth < deepest) describe(`${path}/`, depth + 1, hash, entries);
  }
}

function sortedEntries(folder: BytePath): Dirent[] {
  try {
    const entries = readdirSync(fileOf(folder), { withFileTypes: true, encoding: 'latin1' });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function timeAndSize(path: BytePath): string {
  try {
    const { mtimeMs, size } = lstatSync(fileOf(path));
    return `${mtimeMs} ${size}`;
  } catch {
    return 'gone';
  }
}
