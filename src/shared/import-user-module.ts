import { pathToFileURL } from 'node:url';
import { importModule } from './import-module.ts';

/** Loads a user's JavaScript or TypeScript file; JavaScript needs no compiler, so none is loaded for it. */
export async function importUserModule(file: string): Promise<Record<string, unknown>> {
  if (/\.[cm]?js$/.test(file)) return (await importModule(pathToFileURL(file).href)) as Record<string, unknown>;
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  return createJiti(import.meta.url).import(file);
}
