import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { FileDigests } from './file-digests.ts';
import { onPath, programInputs } from './program-inputs.ts';

interface CommandPlaces {
  /** Absolute; where relative paths in the command may start. */
  readonly folders: readonly string[];
  readonly searchPath: string;
}

/** SHA-256 of every file that shell commands name by a path, by the word that names it. */
export async function filesInCommands(
  commands: readonly string[],
  folders: readonly string[],
  digests: FileDigests,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const word of commands.flatMap(wordsOf)) {
    const file = fileNamed(word, folders);
    if (file !== undefined) found[word] = await digests.of(file);
  }
  return found;
}

/** Words that a shell understands by itself, or that start the program after them. */
const shellWords: ReadonlySet<string> = new Set(
  '. : [ cd command do done echo else env exec exit export fi for if printf read set sh test then trap true unset while'.split(
    ' ',
  ),
);

/**
 * What an agent that a shell command starts is made of: its programs, and the scripts among their arguments. Throws
 * where the command does not tell, because a result could then be taken over from another agent.
 */
export async function commandInputs(command: string, places: CommandPlaces, digests: FileDigests): Promise<unknown> {
  const hidden = command.match(/`|\$\(|\$\{?(?!ASSAY_)[A-Za-z_@*0-9]\w*/)?.[0];
  if (hidden !== undefined) throw new Error(`what \`${command}\` starts depends on \`${hidden}\``);
  const inputs: Record<string, unknown> = {};
  for (const part of simpleCommands(command)) {
    for (const [index, word] of part.entries()) {
      const file = fileNamed(word, places.folders) ?? (index === 0 ? onPath(word, places.searchPath) : undefined);
      if (file !== undefined) inputs[word] = await programInputs(file, places.searchPath, digests);
      else if (index === 0 && !shellWords.has(word)) throw new Error(`\`${word}\` of \`${command}\` was not found`);
    }
  }
  return inputs;
}

/** The words of each command in a line, without assignments and shell words in front of it. */
function simpleCommands(line: string): string[][] {
  const texts = line.match(/(?:'[^']*'|"[^"]*"|[^;|&()\n'"])+/g) ?? [];
  return texts.flatMap((text) => {
    const words = wordsOf(text).filter((word) => !/^\w+=/.test(word));
    while (words[0] !== undefined && shellWords.has(words[0])) words.shift();
    return words.length > 0 ? [words] : [];
  });
}

/** Words as a shell splits them; a quoted text with spaces, such as that of `sh -c`, is split as well. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'";|&()<>])+/g) ?? [];
  return words.flatMap((word) => {
    const bare = word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double);
    return /\s/.test(bare) && !existsSync(bare) ? bare.split(/[\s;|&()<>'"]+/).filter(Boolean) : [bare];
  });
}

function fileNamed(word: string, folders: readonly string[]): string | undefined {
  if (!word.includes('/') && !word.includes('.')) return undefined;
  const places = isAbsolute(word) ? [word] : folders.map((folder) => resolve(folder, word));
  return places.find((place) => existsSync(place) && statSync(place).isFile());
}
