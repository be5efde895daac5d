import { pathToFileURL } from 'node:url';
import { importModule } from './import-module.ts';
import { isRecord } from './json.ts';

/** Loads a user's JavaScript or TypeScript file; JavaScript needs no compiler, so none is loaded for it. */
export async function importUserModule(file: string): Promise<Record<string, unknown>> {
  if (/\.[cm]?js$/.test(file))
    return withCommonJsExports((await importModule(pathToFileURL(file).href)) as Record<string, unknown>);
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  return createJiti(import.meta.url).import(file);
}

/** Node finds only some of the names that a CommonJS module exports; the others are fields of its default export. */
function withCommonJsExports(module: Record<string, unknown>): Record<string, unknown> {
  const { default: exported } = module;
  const isCommonJs =
    'module.exports' in module || (isRecord(exported) && !Object.keys(module).some((key) => key !== 'default'));
  return isCommonJs && isRecord(exported) ? { ...exported, ...module } : module;
}
