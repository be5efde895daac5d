import { basename, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { isFile, isProgram, pathFolders } from '../../../shared/processes/programs-on-path.ts';

interface SearchPlaces {
  /** Absolute; where a path to the program may start. */
  readonly folders: readonly string[];
  /** As in the environment. */
  readonly path: string;
  /** One of the folders that is temporary, so its name says nothing. */
  readonly workDirectory?: string | undefined;
}

/**
 * Where the program under test lies: a path is looked for in the given folders; a name on PATH, and then in the folders
 * too, because a task may bring its tool along.
 */
export function findProgram(binary: string, { folders, path, workDirectory }: SearchPlaces): string {
  const places = binary.includes('/') ? folders : [...pathFolders(path), ...folders];
  const found = places.map((place) => resolve(place, binary)).find(isProgram);
  if (found !== undefined) return found;
  const blocked = places.map((place) => resolve(place, binary)).find(isFile);
  if (blocked !== undefined) {
    throw new AssayError('TARGET_NOT_LOADED', `The program ${blocked} is not executable.`, {
      hint: `Run \`chmod +x ${blocked}\`.`,
    });
  }
  const onPath = folders.length === 0 ? 'PATH' : 'PATH or the work directory';
  const named = folders.map((folder) => (folder === workDirectory ? 'the work directory' : folder));
  const where = binary.includes('/') ? named.join(', ') : onPath;
  throw new AssayError('TARGET_NOT_LOADED', `There is no program \`${binary}\` in ${where}.`, {
    hint: `Install ${basename(binary)}, or set \`target.binary\` of the scenario or --target-binary.`,
  });
}
