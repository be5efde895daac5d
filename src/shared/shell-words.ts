/** Words that a shell understands by itself, or that start the program after them. */
export const shellWords: ReadonlySet<string> = new Set(
  '. : [ cd command do done echo else env exec exit export fi for if printf read set test then trap true unset while'.split(
    ' ',
  ),
);

/** A text as one word of a shell command. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word as one would type it into a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** The words of each command in a line, without assignments and shell words in front of it. */
export function simpleCommands(line: string, isFile: (word: string) => boolean): string[][] {
  const texts = line.match(/(?:'[^']*'|"[^"]*"|[^;|&()\n'"])+/g) ?? [];
  return texts.flatMap((text) => {
    const words = wordsOf(text, isFile).filter((word) => !/^\w+=/.test(word));
    while (words[0] !== undefined && shellWords.has(words[0])) words.shift();
    return words.length > 0 ? [words] : [];
  });
}

/** Words as a shell splits them; a quoted text with spaces that is not a file, such as that of `sh -c`, is split as well. */
export function wordsOf(command: string, isFile: (word: string) => boolean): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'";|&()<>])+/g) ?? [];
  return words.flatMap((word) => {
    const bare = word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double);
    return /\s/.test(bare) && !isFile(bare) ? bare.split(/[\s;|&()<>'"]+/).filter(Boolean) : [bare];
  });
}
