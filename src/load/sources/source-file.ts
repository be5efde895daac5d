import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { ProblemsError } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';
import { LineIndex, type ParsedSource } from './parsed-source.ts';
import { refuseEndlessNumbers } from './refused-data.ts';

/** Why a file could not be read, to be said beside its name. */
export function fileFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return (code === undefined ? undefined : words[code]) ?? `it cannot be read (${code ?? String(error)})`;
}

/** What is said of pipes, devices and sockets: they have no end to wait for, or can be read only once. */
export const notRegularFile = 'it is not a regular file';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'it may not be read: permission denied',
  EPERM: 'it may not be read: permission denied',
  ELOOP: 'it is a link that leads back to itself',
};

/** File name endings that can hold a scenario or a config. */
export const dataExtensions = ['.yaml', '.yml', '.json', '.jsonc'] as const;

/** Endings of files that are run to get a scenario or a config out of them. */
export const moduleExtensions = ['.ts', '.mts', '.js', '.mjs', '.cjs'] as const;

const mostBytes = 64 * 1024 * 1024;

/** Reads and parses a user's file; every syntax error comes with its place. `file` is how the user names it. */
export async function readSource(file: string, folder: string): Promise<ParsedSource> {
  await refuseUnreadable(file, folder);
  return parseSource(file, await readText(file, folder));
}

/** Parses a text as if it stood in the file of that name. */
export async function parseSource(file: string, text: string): Promise<ParsedSource> {
  const source = await parse(file, text);
  refuseEndlessNumbers(source);
  return source;
}

async function parse(file: string, text: string): Promise<ParsedSource> {
  const extension = extname(file).toLowerCase();
  if (extension === '.json' || extension === '.jsonc')
    return (await import('./json-source.ts')).parseJsonSource(file, text);
  if (extension === '.toml') return (await import('./toml-source.ts')).parseTomlSource(file, text);
  return (await import('./yaml-source.ts')).parseYamlSource(file, text);
}

/** What cannot be a scenario or a config is not even opened: a pipe would keep us waiting. */
async function refuseUnreadable(file: string, folder: string): Promise<void> {
  const entry = await stat(resolve(folder, file)).catch(() => undefined);
  if (entry && !entry.isFile() && !entry.isDirectory()) throw problemAtStart(file, notRegularFile);
  if (entry && entry.size > mostBytes) {
    const message = `the file has ${grouped(entry.size)} bytes; at most ${grouped(mostBytes)} are read`;
    throw problemAtStart(file, message, 'Move the cases to a dataset, which may have any size.');
  }
}

/** The text of a user's file, which must be UTF-8. */
export async function readText(file: string, folder: string): Promise<string> {
  const bytes = await readFile(resolve(folder, file)).catch((error: unknown) => {
    throw problemAtStart(file, fileFault(error));
  });
  return decodeText(file, bytes);
}

/** Bytes from a line of a file on, as text without a byte order mark; what is not text is refused with its place. */
export function decodeText(file: string, bytes: Buffer, firstLine = 1): string {
  const defect = isUtf8(bytes) ? bytes.indexOf(0) : invalidUtf8Offset(bytes);
  if (defect === -1) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  const before = bytes
    .subarray(0, defect)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const at = new LineIndex(before, firstLine).position(file, before.length);
  const message = bytes[defect] === 0 ? 'there is a NUL byte here: this is not a text file' : 'this is not UTF-8 text';
  throw new ProblemsError([{ at, message, hint: bytes[defect] === 0 ? undefined : 'Save the file as UTF-8.' }]);
}

function problemAtStart(file: string, message: string, hint?: string): ProblemsError {
  return new ProblemsError([{ at: { file, line: 1, column: 1 }, message, hint }]);
}

/** Where the first byte stands that no UTF-8 character can begin or go on with. */
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
