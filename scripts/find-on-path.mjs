import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of one of the given names on PATH; undefined where there is none. */
export function findOnPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
