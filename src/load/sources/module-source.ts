import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'acorn';
import { AssayError, type ErrorCode, type FilePosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { importAgain, importUserModule } from '../../shared/import-user-module.ts';
import { isRecord } from '../../shared/json.ts';
import { firstLine } from '../../shared/text.ts';
import { LiteralPositions } from './literal-positions.ts';
import { LineIndex, type ParsedSource, valueAt } from './parsed-source.ts';
import { readText } from './source-file.ts';

/** The data that a module exports, with the positions of the literals in its text. */
function literalSource(file: string, text: string, value: unknown): ParsedSource {
  const lines = new LineIndex(text);
  let positions: LiteralPositions | undefined;
  // Most modules have no problem whose position is needed.
  const located = () => (positions ??= new LiteralPositions(text));
  const at = (offset: number): FilePosition => lines.position(file, offset);
  return {
    file,
    value,
    locate: (path) => at(located().value(path)),
    locateKey: (path, key) => at(located().key(path, key)),
    locateInString: (path, character) => {
      const start = located().value(path);
      const written = valueAt(value, path);
      const isSpelledOut = typeof written === 'string' && text.startsWith(written, start + 1);
      return at(isSpelledOut ? start + character : start);
    },
  };
}

/** Words for messages about a module. */
export interface ModuleWords {
  /** Role of the module, such as `the config`. */
  readonly subject: string;
  readonly code: ErrorCode;
}

/** The default export of a user's JavaScript or TypeScript file; functions are called, promises awaited. */
export async function readModuleSource(
  file: string,
  folder: string,
  words: ModuleWords,
  /** As it is on the disk now, also if it was loaded before. */
  isFresh = false,
): Promise<ParsedSource> {
  const source = await readModule(file, folder, { words, load: isFresh ? importAgain : importUserModule });
  if (isRecord(source.value)) return source;
  const message = `${words.subject} must export an object: \`export default { … }\``;
  throw new ProblemsError([{ at: { file, line: 1, column: 1 }, message }], words.code);
}

interface ModuleReading {
  readonly words: ModuleWords;
  load(path: string): Promise<Record<string, unknown>>;
}

/** Whatever a module exports by default. */
export async function readModule(file: string, folder: string, { words, load }: ModuleReading): Promise<ParsedSource> {
  const text = await readText(file, folder);
  const path = resolve(folder, file);
  try {
    const exported = (await load(path)).default;
    const value: unknown = typeof exported === 'function' ? await exported() : await exported;
    return literalSource(file, text, value);
  } catch (error) {
    if (error instanceof AssayError) throw error;
    const at = placeOf(error, path, text) ?? syntaxErrorPlace(text) ?? { line: 1, column: 1 };
    throw new ProblemsError(
      [{ at: { file, ...at }, message: `${words.subject} could not be loaded: ${reason(error)}` }],
      words.code,
    );
  }
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return firstLine(message).replace(parseError, '').trim();
}

/** How the compiler of TypeScript begins a report; it counts columns from 0. */
const parseError = /^ParseError: /;

type Place = Pick<FilePosition, 'line' | 'column'>;

/** Position in the module's own file: from the stack of the error, or from the report of a syntax error. */
function placeOf(error: unknown, path: string, text: string): Place | undefined {
  const report = error instanceof Error ? `${error.stack ?? ''}\n${error.message}` : '';
  for (const name of [pathToFileURL(path).href, path]) {
    const [, line, column = '1'] =
      new RegExp(`${name.replace(/[^\w]/g, '\\$&')}:(\\d+)(?::(\\d+))?`).exec(report) ?? [];
    if (line === undefined) continue;
    if (error instanceof Error && parseError.test(error.message))
      return { line: Number(line), column: Number(column) + 1 };
    // Compiled lines are where they were written, but may be longer.
    const written = text.split('\n')[Number(line) - 1] ?? '';
    return { line: Number(line), column: Number(column) > written.length + 1 ? 1 : Number(column) };
  }
  return undefined;
}

/** Node does not report the position of a syntax error in JavaScript, so another parser finds it. */
function syntaxErrorPlace(text: string): Place | undefined {
  try {
    parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    if (loc) return { line: loc.line, column: loc.column + 1 };
  }
  return undefined;
}
