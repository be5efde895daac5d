import { displayWidth } from './display-width.ts';

const colorCodes = /\u001B\[[0-9;]*m/g;

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

/** Words that are longer than a line stay whole, so ids and paths can be copied. */
function wrapLine(line: string, columns: number): string {
  const first = /^(?: |\u001B\[[0-9;]*m)*/.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(hangingIndent(line.replace(colorCodes, ''), columns));
  const lines: string[] = [];
  let current = first;
  let isEmpty = true;
  for (const [token] of line.slice(first.length).matchAll(/ *[^ ]+/g)) {
    if (!isEmpty && shownWidth(current) + shownWidth(token) > columns) {
      lines.push(current);
      current = indent + token.trimStart();
    } else current += token;
    isEmpty = false;
  }
  return [...lines, current].join('\n');
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
