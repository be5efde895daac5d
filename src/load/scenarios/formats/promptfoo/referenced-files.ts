import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { ProblemsError } from '../../../../domain/problem.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { readSource, readText } from '../../../sources/source-file.ts';
import { CsvRecords } from '../../datasets/csv-record.ts';
import { Located, type PromptfooReading } from './located.ts';

const prefix = 'file://';
const codeEndings = ['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts'];

/** A file that a config names, and for code the function in it. */
interface Reference {
  /** As written, without `file://` and the name of a function. */
  readonly path: string;
  readonly exportName: string | undefined;
}

/** The file that a text names with `file://`; undefined for any other text. */
export function referenceIn(text: string): Reference | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith(prefix)) return undefined;
  const [, path = '', exportName] = /^(.*?\.[a-z]+)(?::(\w+))?$/i.exec(trimmed.slice(prefix.length)) ?? [
    undefined,
    trimmed.slice(prefix.length),
  ];
  return { path, exportName };
}

/** Whether a file is a program in JavaScript or TypeScript. */
export function isCode(path: string): boolean {
  return codeEndings.includes(extname(path).toLowerCase());
}

/** Whether the file exists beside the config. */
export function existsBeside(path: string, { context }: PromptfooReading): boolean {
  return existsSync(resolve(context.directory, path));
}

/** Files that a path with `*` in its last part stands for; the path itself where it has none. */
export async function filesFor(path: string, { context }: PromptfooReading): Promise<string[]> {
  const name = basename(path);
  if (!name.includes('*')) return [path];
  const names = await readdir(resolve(context.directory, dirname(path))).catch(() => []);
  return names
    .filter((entry) => isMatch(entry, name.split('*')))
    .sort()
    .map((entry) => join(dirname(path), entry));
}

/** Whether a name consists of these texts in this order, with anything between them. */
function isMatch(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.at(-1) ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let rest = name.slice(first.length, name.length - last.length);
  return others.slice(0, -1).every((part) => {
    const at = rest.indexOf(part);
    rest = rest.slice(at + part.length);
    return at !== -1;
  });
}

/** The text of a file beside the config; undefined after a problem was reported. */
export async function textOfFile(path: string, named: Located, reading: PromptfooReading): Promise<string | undefined> {
  return withProblem(named, reading, () => readText(pathFor(path, reading), reading.context.folder));
}

/** The data of a file beside the config; undefined after a problem was reported. */
export async function dataOfFile(
  path: string,
  named: Located,
  reading: PromptfooReading,
): Promise<Located | undefined> {
  const source = await withProblem(named, reading, () => readSource(pathFor(path, reading), reading.context.folder));
  return source && new Located(source.value, source);
}

/** The path as messages show it: relative to the folder of the project. */
export function pathFor(path: string, { context, files }: PromptfooReading): string {
  const absolute = resolve(context.directory, path);
  files.add(absolute);
  return relative(context.folder, absolute) || path;
}

async function withProblem<Value>(
  named: Located,
  { found }: PromptfooReading,
  read: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    found.problems.push(...error.problems.map((problem) => ({ ...problem, hint: problem.hint ?? namedAt(named) })));
    return undefined;
  }
}

function namedAt({ at }: Located): string {
  return `It is named at ${at.file}:${at.line}.`;
}

/** Data that is made of a row of a file: every position is that of the row. */
export function rowSource(value: unknown, file: string, line: number): ParsedSource {
  const at = { file, line, column: 1 };
  return { file, value, locate: () => at, locateKey: () => at, locateInString: () => at };
}

/** The rows of a table in CSV with their lines; none after a problem was reported. */
export function csvRows(
  text: string,
  file: string,
  { found }: PromptfooReading,
): { readonly cells: readonly string[]; readonly line: number }[] {
  const records = new CsvRecords(file);
  const taken = text.split(/\r?\n/).flatMap((line, index) => records.take(line, index + 1) ?? []);
  const read = [...taken, ...[records.rest() ?? []].flat()];
  const broken = read.find((record) => record.problem);
  if (broken?.problem) {
    found.problems.push(broken.problem);
    return [];
  }
  return read.map(({ cells, line }) => ({ cells: cells.map((cell) => cell.text), line }));
}
