import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a folder that keeps itself out of version control, so that nobody has to remember to. */
export function makeOwnFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
}
