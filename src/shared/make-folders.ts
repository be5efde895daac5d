import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those that it lies in; gives the first that was made. `mkdir` of Node.js with `recursive` never returns
 * where the system refuses a folder as missing although its parent is there, as below `/proc`.
 */
export function makeFolders(folder: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : makeFolders(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
    return first;
  }
  return first ?? folder;
}
