import { displayWidth, fitted, padded } from '../../shared/display-width.ts';

/** Where nothing says how wide the terminal is. */
const usualWidth = 80;
const narrowest = 40;
const leastName = 8;

/** Lines of text and tables that fit a terminal. */
export interface Layout {
  readonly width: number;
  /** A text in lines that fit, each with the given indent; the first may have another. */
  wrapped(text: string, indent: string, firstIndent?: string): string[];
  /** The first row has the heads. The first column is text and gives way, the others are numbers but for the last. */
  tableLines(rows: readonly (readonly string[])[], indent: string): string[];
  /** The same with one text for each row. Where the table is too wide, rows are blocks and the heads are empty. */
  tableRows(rows: readonly (readonly string[])[], indent: string): string[];
  /** A line that fits. */
  cut(line: string): string;
}

/** The layout for a terminal of so many columns. */
export function layoutOf({ width: columns = usualWidth }: { readonly width?: number | undefined }): Layout {
  const width = Math.max(narrowest, columns);
  return {
    width,
    wrapped: (text, indent, firstIndent = indent) => wrapped(text, width, indent, firstIndent),
    tableLines: (rows, indent) => tableLines(rows, width, indent),
    tableRows: (rows, indent) => tableRows(rows, width, indent),
    cut: (line) => fitted(line, width),
  };
}

function wrapped(text: string, width: number, indent: string, firstIndent: string): string[] {
  const lines: string[] = [];
  let line = firstIndent;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((each) => fitted(each, width));
}

type Rows = readonly (readonly string[])[];

/** Widths of the columns where the names are as short as they may be; undefined where even those do not fit. */
function columnWidths(rows: Rows, width: number, indent: string): number[] | undefined {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), 0),
  );
  const others = widths.slice(1).reduce((sum, each) => sum + each + 2, indent.length);
  const names = widths[0] ?? 0;
  if (others + Math.min(names, leastName) > width && widths.length > 2) return undefined;
  widths[0] = Math.max(Math.min(names, leastName), Math.min(names, width - others));
  return widths;
}

function tableRows(rows: Rows, width: number, indent: string): string[] {
  const widths = columnWidths(rows, width, indent);
  if (!widths) return stackedRows(rows, width, indent);
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const room = widths[column] ?? 0;
      if (column === 0) return padded(fitted(cell, room), room);
      return column === widths.length - 1 ? padded(cell, room) : cell.padStart(room);
    });
    return fitted(`${indent}${cells.join('  ')}`.trimEnd(), width);
  });
}

/** A table that is too wide is turned on its side, where that fits: figures stay beside each other. */
function tableLines(rows: Rows, width: number, indent: string): string[] {
  const turned = (rows[0] ?? []).map((_, column) => [...rows.map((row) => row[column] ?? ''), '']);
  const figures = turned.filter(([head, ...cells]) => head !== '' || cells.some((cell) => cell !== ''));
  const isTurned = !columnWidths(rows, width, indent) && columnWidths(figures, width, indent) !== undefined;
  return tableRows(isTurned ? figures : rows, width, indent).filter((text) => text !== '');
}

/** For a table that is too wide: each row as a block, with a line for each cell that says something. */
function stackedRows([first = [], ...rows]: Rows, width: number, indent: string): string[] {
  const heads = first.map((head) => head.replace(/ \(.*\)$/, ''));
  const room = Math.min(Math.max(0, ...heads.slice(1).map(displayWidth)), Math.floor(width / 3));
  const blocks = rows.map(([name = '', ...cells]) => [
    fitted(`${indent}${name}`, width),
    ...cells.flatMap((cell, index) => {
      const head = fitted(heads[index + 1] ?? '', room);
      const start = `${indent}  ${padded(head, room)}  `;
      return cell === '' ? [] : wrapped(cell, width, ' '.repeat(displayWidth(start)), start);
    }),
  ]);
  return ['', ...blocks.map((lines) => lines.join('\n'))];
}

/** Sections with an empty line between them; those without lines are left out. */
export function sectionsText(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}
