import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Folders of PATH. A relative one would be another folder in each place. */
export function pathFolders(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter(isAbsolute);
}

/** Whether a file is there and can be started. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}

/** Also where a part of its path is not a folder or may not be read. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Absolute path of the first of the programs that is on PATH. */
export function findOnPath(names: readonly string[], path: string | undefined): string | undefined {
  const folders = pathFolders(path);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}
