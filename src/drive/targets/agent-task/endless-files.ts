import { readdirSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';

/** More folders than these are not searched. */
const mostFolders = 20_000;
/** A larger file of which next to nothing was written takes longer to read than any gate may. */
const emptyBytes = 2 ** 30;
const blockBytes = 512;

/**
 * The error of a trial whose agent left something that is never read to its end; undefined where there is nothing of the
 * kind. To be called when the time of a grader is up: it may have waited for it.
 */
export function endlessFile(directory: string): AssayError | undefined {
  const folders = [directory];
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (folders.length < mostFolders) folders.push(path);
        continue;
      }
      const kind = endlessKind(path);
      if (kind === undefined) continue;
      const message = `A grader did not end in time, and the agent left ${kind} in its work: ${relative(directory, path)}.`;
      return new AssayError('GRADER_CHANGED', message, { hint: 'Read in the trace what the agent did.' });
    }
  }
  return undefined;
}

function endlessKind(path: string): string | undefined {
  const stats = statOf(path);
  if (stats === undefined) return undefined;
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isCharacterDevice()) return 'a link to a device';
  const isEmpty = stats.isFile() && stats.size > emptyBytes && stats.blocks * blockBytes < stats.size / 100;
  return isEmpty ? `an empty file of ${stats.size} bytes` : undefined;
}

/** Links are followed, as a grader would follow them. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
