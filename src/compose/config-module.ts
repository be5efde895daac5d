import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'acorn';
import type { FilePosition } from '../domain/errors.ts';
import { ProblemsError } from '../domain/problem.ts';
import type { ParsedSource } from '../scenarios/parsed-source.ts';
import { searchedSource } from '../scenarios/searched-source.ts';
import { readText } from '../scenarios/source-file.ts';
import { importModule } from '../shared/import-module.ts';
import { isRecord } from '../shared/json.ts';

/** Loads a config that is written in JavaScript or TypeScript; it is the user's own code, and runs as such. */
export async function readConfigModule(file: string, folder: string): Promise<ParsedSource> {
  const text = await readText(file, folder);
  const path = resolve(folder, file);
  const module = await loadModule(path).catch((error: unknown) => {
    throw new ProblemsError(
      [
        {
          at: placeOf(error, file, path) ?? syntaxErrorPlace(file, text),
          message: `the config does not load: ${reason(error)}`,
        },
      ],
      'CONFIG_INVALID',
    );
  });
  const config = module.default;
  if (isRecord(config)) return searchedSource(file, text, config);
  const message = 'the config must export an object: `export default { … }`';
  throw new ProblemsError([{ at: { file, line: 1, column: 1 }, message }], 'CONFIG_INVALID');
}

async function loadModule(path: string): Promise<Record<string, unknown>> {
  if (!path.endsWith('.ts')) return (await importModule(pathToFileURL(path).href)) as Record<string, unknown>;
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  return createJiti(import.meta.url).import(path);
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? message;
}

/** Where the module's own file is mentioned: in the frames of what it threw, or in the report of a syntax error. */
function placeOf(error: unknown, file: string, path: string): FilePosition | undefined {
  const told = error instanceof Error ? `${error.stack ?? ''}\n${error.message}` : '';
  for (const name of [pathToFileURL(path).href, path]) {
    const [, line, column] = new RegExp(`${name.replace(/[^\w]/g, '\\$&')}:(\\d+)(?::(\\d+))?`).exec(told) ?? [];
    if (line !== undefined) return { file, line: Number(line), column: Number(column ?? 1) };
  }
  return undefined;
}

/** Node does not tell where JavaScript does not parse, so that another parser has to be asked. */
function syntaxErrorPlace(file: string, text: string): FilePosition {
  try {
    parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    if (loc) return { file, line: loc.line, column: loc.column + 1 };
  }
  return { file, line: 1, column: 1 };
}
