import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { digestOf } from '../../tape/tape-text.ts';
import type { TapeWords } from '../../tape/tape-words.ts';
import type { CliCall } from './cli-call.ts';

const largestFile = 20_000_000;

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

/** The digest of a file, in which folders of the trial have names; undefined where it is not a file of usual size. */
export function fileDigest(path: string, words: TapeWords): string | undefined {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > largestFile) return undefined;
    const content = readFileSync(path);
    return digestOf(isUtf8(content) ? words.written(content.toString('utf8')).value : content.toString('base64'));
  } catch {
    return undefined;
  }
}
