import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importModule } from './import-module.ts';
import { isRecord } from './json.ts';
import { assertMayRun } from './project-trust.ts';

type Exports = Record<string, unknown>;

/** Loads a user's JavaScript or TypeScript file; JavaScript needs no compiler, so none is loaded for it. */
export async function importUserModule(file: string): Promise<Exports> {
  assertMayRun(file);
  if (!/\.[cm]?js$/.test(file)) return (await compilerFor(file)).import(file);
  try {
    return withCommonJsExports((await importModule(pathToFileURL(file).href)) as Exports);
  } catch (error) {
    if (!lacksThisPackage(error)) throw error;
    return (await compilerFor(file)).import(file);
  }
}

/**
 * Loads a module as it is on the disk now: a server must not show what it was before. So are the TypeScript and CommonJS
 * files that it imports; Node keeps other modules in JavaScript once they are imported.
 */
export async function importAgain(file: string): Promise<Exports> {
  assertMayRun(file);
  const compiler = await compilerFor(file, { interopDefault: false });
  const before = new Set(Object.keys(compiler.cache));
  const source = await readFile(file, 'utf8');
  try {
    const module = await compiler.evalModule(source, { filename: file, async: true, forceTranspile: true });
    const exported = module as Exports;
    return '__esModule' in exported ? exported : { default: exported };
  } finally {
    const loaded = Object.keys(compiler.cache).filter((path) => !before.has(path));
    for (const path of loaded) if (!path.includes(`${sep}node_modules${sep}`)) delete compiler.cache[path];
  }
}

/** Packages are found from the file; where this one is not installed there, its own files are taken. */
async function compilerFor(file: string, options: { readonly interopDefault?: boolean } = {}) {
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  return createJiti(import.meta.url, { ...options, ...(!isInstalledFor(file) && { alias: ownFiles() }) });
}

function isInstalledFor(file: string): boolean {
  try {
    createRequire(file).resolve('assay/package.json');
    return true;
  } catch {
    return false;
  }
}

/** The entries of this package that lie beside the program; an executable has few of them. */
function ownFiles(): Record<string, string> {
  const entries = { 'assay/scenario': 'scenario.js', 'assay/testing': 'testing.js', assay: 'index.js' };
  const files = Object.entries(entries).map(
    ([name, path]) => [name, fileURLToPath(new URL(path, import.meta.url))] as const,
  );
  return Object.fromEntries(files.filter(([, path]) => existsSync(path)));
}

function lacksThisPackage(error: unknown): boolean {
  // A module may throw anything, also nothing.
  const { code, message = '' }: Partial<NodeJS.ErrnoException> = error ?? {};
  return code === 'ERR_MODULE_NOT_FOUND' && /package 'assay'/.test(message);
}

/** Node finds only some of the names that a CommonJS module exports; the others are fields of its default export. */
function withCommonJsExports(module: Exports): Exports {
  const { default: exported } = module;
  const isCommonJs =
    'module.exports' in module || (isRecord(exported) && !Object.keys(module).some((key) => key !== 'default'));
  return isCommonJs && isRecord(exported) ? { ...exported, ...module } : module;
}
