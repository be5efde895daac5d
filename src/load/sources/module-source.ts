import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'acorn';
import type { ErrorCode, FilePosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { importUserModule } from '../../shared/import-user-module.ts';
import { isRecord } from '../../shared/json.ts';
import { type DataPath, LineIndex, type ParsedSource } from './parsed-source.ts';
import { readText } from './source-file.ts';

/** A source whose parser reports no positions: each key of a path is searched after the one around it. */
function searchedSource(file: string, text: string, value: unknown): ParsedSource {
  const lines = new LineIndex(text);
  const find = (path: DataPath): { readonly key: number; readonly value: number } => {
    let found = { key: 0, value: 0 };
    for (const step of path) {
      if (typeof step !== 'string') continue;
      const mention = mentionOf(step, text, found.value);
      if (!mention) break;
      found = mention;
    }
    return found;
  };
  const at = (offset: number): FilePosition => lines.position(file, offset);
  return {
    file,
    value,
    locate: (path) => at(find(path).value),
    locateKey: (path, key) => at(find([...path, key]).key),
    locateInString: (path) => at(find(path).value),
  };
}

/** `key = value`, `key: value` or `[key]`, where no comment begins before it on its line. */
function mentionOf(
  key: string,
  text: string,
  from: number,
): { readonly key: number; readonly value: number } | undefined {
  const name = key.replace(/[^\w]/g, '\\$&');
  const mention = new RegExp(`(?<=^|[{,\\[(\\s.])(["']?)${name}\\1(?:\\s*[:=]\\s*|\\s*\\]+)`, 'gm');
  mention.lastIndex = from;
  for (let match = mention.exec(text); match; match = mention.exec(text)) {
    const lineStart = text.lastIndexOf('\n', match.index) + 1;
    const isComment = /^\s*(?:#|\/\/|\*)/.test(text.slice(lineStart, match.index));
    if (!isComment) return { key: match.index, value: match.index + match[0].length };
  }
  return undefined;
}

/** Words for messages about a module. */
export interface ModuleWords {
  /** Role of the module, such as `the config`. */
  readonly subject: string;
  readonly code: ErrorCode;
}

const scenarioWords: ModuleWords = { subject: 'the file', code: 'FILE_INVALID' };

/** The default export of a user's JavaScript or TypeScript file; functions are called, promises awaited. */
export async function readModuleSource(file: string, folder: string, words: ModuleWords): Promise<ParsedSource> {
  const text = await readText(file, folder);
  const path = resolve(folder, file);
  const value = await defaultExport(path).catch((error: unknown) => {
    const at = placeOf(error, file, path) ?? syntaxErrorPlace(file, text);
    throw new ProblemsError([{ at, message: `${words.subject} could not be loaded: ${reason(error)}` }], words.code);
  });
  if (isRecord(value)) return searchedSource(file, text, value);
  const message = `${words.subject} must export an object: \`export default { … }\``;
  throw new ProblemsError([{ at: { file, line: 1, column: 1 }, message }], words.code);
}

/** The export of a module as plain data; values that JSON cannot represent are left out. */
export async function readScenarioModule(file: string, folder: string): Promise<ParsedSource> {
  const source = await readModuleSource(file, folder, scenarioWords);
  try {
    return { ...source, value: JSON.parse(JSON.stringify(source.value)) as unknown };
  } catch (error) {
    const message = `the export is not plain data: ${reason(error)}`;
    throw new ProblemsError([{ at: { file, line: 1, column: 1 }, message }]);
  }
}

async function defaultExport(path: string): Promise<unknown> {
  const exported = (await importUserModule(path)).default;
  return typeof exported === 'function' ? exported() : exported;
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? message;
}

/** Position in the module's own file: from the stack of the error, or from the report of a syntax error. */
function placeOf(error: unknown, file: string, path: string): FilePosition | undefined {
  const report = error instanceof Error ? `${error.stack ?? ''}\n${error.message}` : '';
  for (const name of [pathToFileURL(path).href, path]) {
    const [, line, column] = new RegExp(`${name.replace(/[^\w]/g, '\\$&')}:(\\d+)(?::(\\d+))?`).exec(report) ?? [];
    if (line !== undefined) return { file, line: Number(line), column: Number(column ?? 1) };
  }
  return undefined;
}

/** Node does not report the position of a syntax error in JavaScript, so another parser finds it. */
function syntaxErrorPlace(file: string, text: string): FilePosition {
  try {
    parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    if (loc) return { file, line: loc.line, column: loc.column + 1 };
  }
  return { file, line: 1, column: 1 };
}
