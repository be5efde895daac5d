import { dirname, isAbsolute, join } from 'node:path';

/** A path that a file names, as messages show it: relative ones begin at the file. */
export function pathBeside(file: string, written: string): string {
  return isAbsolute(written) ? written : join(dirname(file), written);
}
