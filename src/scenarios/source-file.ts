import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { AssayError, type FilePosition } from '../domain/errors.ts';
import { ProblemsError } from '../domain/problem.ts';
import type { ParsedSource } from './parsed-source.ts';

/** File name endings that can hold a scenario or a config. */
export const dataExtensions = ['.yaml', '.yml', '.json', '.jsonc'] as const;

/** Reads and parses a user's file; every syntax error comes with its place. `file` is how the user names it. */
export async function readSource(file: string, folder: string): Promise<ParsedSource> {
  const text = await readText(file, folder);
  const extension = extname(file).toLowerCase();
  try {
    if (extension === '.json' || extension === '.jsonc')
      return (await import('./json-source.ts')).parseJsonSource(file, text);
    if (extension === '.toml') return (await import('./toml-source.ts')).parseTomlSource(file, text);
    return (await import('./yaml-source.ts')).parseYamlSource(file, text);
  } catch (error) {
    if (error instanceof RangeError) throw problemAtStart(file, 'the file is nested too deeply');
    throw error;
  }
}

/** The text of a user's file, which must be UTF-8. */
export async function readText(file: string, folder: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(resolve(folder, file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new AssayError('FILE_NOT_FOUND', `There is no file ${file}.`, { cause: error });
    if (code === 'EISDIR') throw new AssayError('FILE_NOT_FOUND', `${file} is a folder, not a file.`, { cause: error });
    throw new AssayError('FILE_NOT_FOUND', `Cannot read ${file}: ${code ?? String(error)}.`, { cause: error });
  }
  if (!isUtf8(bytes)) throw problemAtStart(file, 'the file is not UTF-8 text');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function problemAtStart(file: string, message: string): ProblemsError {
  const at: FilePosition = { file, line: 1, column: 1 };
  return new ProblemsError([{ at, message }]);
}
