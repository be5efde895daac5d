import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError } from '../domain/errors.ts';

/** Absolute path of the executable of this Assay, however deep in the package this code ended up. */
export function programFile(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, 'bin', 'assay.js');
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) throw new AssayError('INTERNAL', 'The executable of Assay is not there.');
  }
}
