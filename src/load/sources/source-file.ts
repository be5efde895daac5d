import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { ProblemsError } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';
import { LineIndex, type ParsedSource } from './parsed-source.ts';
import { refuseInexactNumbers } from './refused-data.ts';

/** Why a file could not be read, without its name. */
export function fileFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return (code === undefined ? undefined : words[code]) ?? `it could not be read (${code ?? String(error)})`;
}

/** Message for pipes, devices and sockets, which may never end or can be read only once. */
export const notRegularFile = 'it is not a regular file';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'it could not be read: permission denied',
  EPERM: 'it could not be read: permission denied',
  ELOOP: 'it is a symbolic link to itself',
};

/** File name endings that can hold a scenario or a config. */
export const dataExtensions = ['.yaml', '.yml', '.json', '.jsonc'] as const;

/** Endings of modules that export a scenario or a config. */
export const moduleExtensions = ['.ts', '.mts', '.js', '.mjs', '.cjs'] as const;

/** Whether the file is a program. */
export function isModule(file: string): boolean {
  return (moduleExtensions as readonly string[]).includes(extname(file).toLowerCase());
}

/** Whether the name of a program says that it exports scenarios. */
export function isScenarioModule(file: string): boolean {
  return isModule(file) && /\.scenario\.\w+$/i.test(file);
}

const mostBytes = 64 * 1024 * 1024;

/** Reads and parses a user's file; syntax errors have a position. `file` is the path as the user wrote it. */
export async function readSource(file: string, folder: string): Promise<ParsedSource> {
  await refuseUnreadable(file, folder);
  return parseSource(file, await readText(file, folder));
}

/** Parses a text as the content of a file with this name. */
export async function parseSource(file: string, text: string): Promise<ParsedSource> {
  const source = await parse(file, text);
  refuseInexactNumbers(source, text);
  return source;
}

async function parse(file: string, text: string): Promise<ParsedSource> {
  const extension = extname(file).toLowerCase();
  if (extension === '.json' || extension === '.jsonc')
    return (await import('./json-source.ts')).parseJsonSource(file, text);
  if (extension === '.toml') return (await import('./toml-source.ts')).parseTomlSource(file, text);
  return (await import('./yaml-source.ts')).parseYamlSource(file, text);
}

/** Refuses files before they are opened: reading a pipe might never end. */
async function refuseUnreadable(file: string, folder: string): Promise<void> {
  const entry = await stat(resolve(folder, file)).catch(() => undefined);
  if (entry && !entry.isFile() && !entry.isDirectory()) throw problemAtStart(file, notRegularFile);
  if (entry && entry.size > mostBytes) {
    const message = `the file has ${grouped(entry.size)} bytes, more than the limit of ${grouped(mostBytes)}`;
    throw problemAtStart(file, message, 'Move the cases to a dataset, which has no size limit.');
  }
}

/** The text of a user's file, which must be UTF-8. */
export async function readText(file: string, folder: string): Promise<string> {
  const bytes = await readFile(resolve(folder, file)).catch((error: unknown) => {
    throw problemAtStart(file, fileFault(error));
  });
  return decodeText(file, bytes);
}

/** Decodes the bytes of a file from a line on, without a byte order mark; other bytes than UTF-8 are refused. */
export function decodeText(file: string, bytes: Buffer, firstLine = 1): string {
  const defect = isUtf8(bytes) ? bytes.indexOf(0) : invalidUtf8Offset(bytes);
  if (defect === -1) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  const before = bytes
    .subarray(0, defect)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const at = new LineIndex(before, firstLine).position(file, before.length);
  const message = bytes[defect] === 0 ? 'NUL byte: this is not a text file' : 'invalid UTF-8';
  throw new ProblemsError([{ at, message, hint: bytes[defect] === 0 ? undefined : 'Save the file as UTF-8.' }]);
}

function problemAtStart(file: string, message: string, hint?: string): ProblemsError {
  return new ProblemsError([{ at: { file, line: 1, column: 1 }, message, hint }]);
}

/** Offset of the first byte that is not valid UTF-8. */
function invalidUtf8Offset(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8Beginning(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** True for UTF-8 that may stop in the middle of a character. */
function isUtf8Beginning(bytes: Buffer): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
