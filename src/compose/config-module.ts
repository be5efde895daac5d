import { readModuleSource } from '../scenarios/module-source.ts';
import type { ParsedSource } from '../scenarios/parsed-source.ts';

/** Loads a config that is written in JavaScript or TypeScript; it is the user's own code, and runs as such. */
export function readConfigModule(file: string, folder: string): Promise<ParsedSource> {
  return readModuleSource(file, folder, { subject: 'the config', code: 'CONFIG_INVALID' });
}
