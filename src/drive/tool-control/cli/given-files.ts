import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { digestOf } from '../../tape/tape-text.ts';
import type { TapeWords } from '../../tape/tape-words.ts';
import type { CliCall } from './cli-call.ts';

/** Larger files are compared byte for byte: folders of the trial in them have no names. */
const largestText = 20_000_000;

/** Digests of the files in the folders of a trial that the arguments of a call name, by the names in the arguments. */
export function givenFiles(
  { argv, cwd }: Pick<CliCall, 'argv' | 'cwd'>,
  folders: readonly string[],
  words: TapeWords,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const argument of argv) {
    for (const name of [argument, argument.slice(argument.indexOf('=') + 1)]) {
      const path = resolve(cwd, name);
      if (name === '' || name in given || !folders.some((folder) => path.startsWith(folder + sep))) continue;
      const digest = fileDigest(path, words);
      if (digest !== undefined) given[name] = digest;
    }
  }
  return given;
}

/** The digest of a file, in which folders of the trial have names; undefined where it cannot be read. */
export function fileDigest(path: string, words: TapeWords): string | undefined {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return undefined;
    if (stat.size > largestText) return digestInPieces(path);
    const content = readFileSync(path);
    return digestOf(isUtf8(content) ? words.written(content.toString('utf8')).value : content.toString('base64'));
  } catch {
    return undefined;
  }
}

const pieceBytes = 4_194_304;

function digestInPieces(path: string): string {
  const file = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read));
    return hash.digest('hex').slice(0, 16);
  } finally {
    closeSync(file);
  }
}
