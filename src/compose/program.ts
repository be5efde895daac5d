import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { AssayError } from '../domain/errors.ts';

/** The version of this Assay. */
export const version: string = packageJson.version;

/** Program and arguments that start this Assay, by absolute paths. */
export function thisProgram(): readonly [string, ...string[]] {
  return [process.execPath, programFile()];
}

/** Absolute path of the executable of this Assay, however deep in the package this code ended up. */
export function programFile(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, 'bin', 'assay.js');
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) throw new AssayError('INTERNAL', 'The executable of Assay was not found.');
  }
}
