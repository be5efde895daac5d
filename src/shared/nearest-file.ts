import { readdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { nearestName } from './suggest.ts';

/** The path of a file beside one that does not exist, with nearly its name; written like that path. */
export function nearestFile(path: string, folder: string): string | undefined {
  const nearest = nearestName(basename(path), namesIn(resolve(folder, dirname(path))));
  return nearest === undefined ? undefined : `${path.slice(0, path.length - basename(path).length)}${nearest}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
