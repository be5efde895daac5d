import { displayWidth } from './display-width.ts';

const colorCodes = /\u001B\[[0-9;]*m/g;

/** Words, with the spaces before them; a command of Assay in backquotes is one word, so it can be copied. */
const words = /\s*(?:`assay [^`]*`|\S)+/g;

/** The words of a text, as far as a line holds them, with the spaces before each. */
export function unbrokenWords(text: string, columns: number): { readonly index: number; readonly word: string }[] {
  return [...text.matchAll(words)].flatMap(({ index, 0: word }) =>
    shownWidth(word.trimStart()) <= columns
      ? { index, word }
      : [...word.matchAll(/\s*\S+/g)].map((part) => ({ index: index + part.index, word: part[0] })),
  );
}

/** Columns of a text that may have colours. */
export function shownWidth(text: string): number {
  return displayWidth(text.replace(colorCodes, ''));
}

/** Text whose lines fit: longer ones are broken between words, and go on a little further to the right. */
export function wrapLines(text: string, columns: number): string {
  if (!Number.isFinite(columns)) return text;
  return text
    .split('\n')
    .map((line) => (shownWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

/** Ids and paths that are longer than a line stay whole, so they can be copied; data is broken. */
function wrapLine(line: string, columns: number): string {
  const first = /^(?: |\u001B\[[0-9;]*m)*/.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(hangingIndent(line.replace(colorCodes, ''), columns));
  const lines: string[] = [];
  let current = first;
  let isEmpty = true;
  for (const { word } of unbrokenWords(line.slice(first.length), columns - indent.length)) {
    for (const piece of brokenData(word, columns - indent.length)) {
      if (!isEmpty && shownWidth(current) + shownWidth(piece) > columns) {
        lines.push(current);
        current = indent + piece.trimStart();
      } else current += piece;
      isEmpty = false;
    }
  }
  return [...lines, current].join('\n');
}

/** JSON without spaces that is longer than a line, in pieces that fit: cut behind commas, and within values as needed. */
function brokenData(word: string, columns: number): readonly string[] {
  if (shownWidth(word) <= columns || !/[{[]"|":/.test(word)) return [word];
  const pieces: string[] = [];
  let current = '';
  for (const [part] of word.matchAll(/(?:\u001B\[[0-9;]*m)+|./gsu)) {
    if (shownWidth(current) + shownWidth(part) > columns) {
      pieces.push(current);
      current = '';
    }
    current += part;
    if (part === ',') {
      pieces.push(current);
      current = '';
    }
  }
  return current === '' ? pieces : [...pieces, current];
}

/** Under the last column of a list that begins in the left half, or a little further to the right than the line itself. */
function hangingIndent(plain: string, columns: number): number {
  const most = Math.floor(columns / 2);
  const usual = Math.min(plain.search(/\S|$/) + 2, most);
  const starts = [...plain.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) =>
    displayWidth(plain.slice(0, index + gap.length)),
  );
  return starts.filter((start) => start <= most).at(-1) ?? usual;
}
