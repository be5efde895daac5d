import { displayWidth, fitted, fittedInside, padded } from '../display-width.ts';
import { unbrokenWords } from '../wrap-lines.ts';

/** Where nothing says how wide the terminal is. */
const usualWidth = 80;
const narrowest = 40;
const leastName = 8;

/** Columns that a text may take on a terminal of so many columns. */
export function widthOf({ width = usualWidth }: { readonly width?: number | undefined }): number {
  return Math.max(narrowest, width);
}

/** From the first character to before the last of a text. */
export type Stretch = readonly [start: number, end: number];

/** The lines of a text that fit, beside something of `firstIndent` columns and of `indent` columns in further lines. */
export function wrapped(text: string, width: number, indent: number, firstIndent = indent): Stretch[] {
  const lines: [number, number][] = [];
  for (const { index, word } of unbrokenWords(text, width - indent)) {
    const last = lines.at(-1);
    const end = index + word.length;
    const taken = lines.length > 1 ? indent : firstIndent;
    if (last && taken + displayWidth(text.slice(last[0], end)) <= width) last[1] = end;
    else lines.push([end - word.trimStart().length, end]);
  }
  return lines;
}

/** A table in words: the first row has the heads. */
export interface TableText {
  readonly rows: readonly (readonly string[])[];
  /** Whether a column has figures, which stand at the right. */
  readonly isFigure: readonly boolean[];
  /** Whether a column gives way where the table is too wide; by default the first does. */
  readonly isCut?: readonly boolean[] | undefined;
}

/** Widths of the columns; undefined where the table does not fit with names as short as they may be. */
export function columnWidths({ rows, isCut = [true] }: TableText, width: number): number[] | undefined {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), 0),
  );
  let excess = widths.reduce((sum, each) => sum + each + 2, -2) - width;
  while (excess > 0) {
    const widest = widths.reduce(
      (found, each, column) => (isCut[column] && each > leastName && each > (widths[found] ?? 0) ? column : found),
      isCut.findIndex((may, column) => may && (widths[column] ?? 0) > leastName),
    );
    if (widest < 0) return undefined;
    const others = widths.filter((each, column) => isCut[column] && column !== widest && each > leastName);
    const step = Math.max(1, Math.min(excess, (widths[widest] ?? 0) - Math.max(leastName, ...others)));
    widths[widest] = (widths[widest] ?? 0) - step;
    excess -= step;
  }
  return widths;
}

/** The names of the rows of a table in so many columns, cut where they still differ. */
export function fittedNames(names: readonly string[], width: number): string[] {
  const cut = names.map((name) => fitted(name, width));
  return new Set(cut).size === new Set(names).size ? cut : names.map((name) => fittedInside(name, width));
}

/** A cell with the spaces around it. */
export function cellText(text: string, width: number, isFigure: boolean): string {
  const fits = fitted(text, width);
  return isFigure ? `${' '.repeat(Math.max(0, width - displayWidth(fits)))}${fits}` : padded(fits, width);
}

/** A table of figures on its side, so they stay beside each other; rows that say nothing are left out. */
export function turned({ rows, isFigure }: TableText): TableText | undefined {
  if (!isFigure.slice(1).every((is) => is)) return undefined;
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''));
  return {
    rows: columns.filter((cells) => cells.some((cell) => cell !== '')),
    isFigure: [false, ...rows.slice(1).map(() => true)],
  };
}

/** For a table that is too wide: each row as a block, with a line for each cell that says something. */
export function stacked({ rows: [first = [], ...rows] }: TableText, width: number): string[] {
  const heads = first.map((head) => head.replace(/ \(.*\)$/, ''));
  const room = Math.min(Math.max(0, ...heads.slice(1).map(displayWidth)), Math.floor(width / 3));
  return rows.flatMap(([name = '', ...cells]) => [
    fitted(name, width),
    ...cells.flatMap((cell, index) => {
      const start = `  ${padded(fitted(heads[index + 1] ?? '', room), room)}  `;
      const indent = displayWidth(start);
      return wrapped(cell, width, indent).map(([from, to], line) =>
        fitted(`${line === 0 ? start : ' '.repeat(indent)}${cell.slice(from, to)}`, width),
      );
    }),
  ]);
}
