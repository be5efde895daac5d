import { readModuleSource } from '../../load/sources/module-source.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';

/** Loads a config that is written in JavaScript or TypeScript; it is the user's own code, and runs as such. */
export function readConfigModule(file: string, folder: string, isFresh = false): Promise<ParsedSource> {
  return readModuleSource(file, folder, { subject: 'the config', code: 'CONFIG_INVALID' }, isFresh);
}
