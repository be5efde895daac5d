import { shorten } from '../../shared/text.ts';

/** The widest line of a comparison on a terminal. */
export const terminalWidth = 80;

/** A text in lines that fit, each with the given indent; the first may have another. */
export function wrapped(text: string, indent: string, firstIndent = indent): string[] {
  const lines: string[] = [];
  let line = firstIndent;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > terminalWidth) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((each) => shorten(each, terminalWidth));
}

/** Rows of cells under each other; the first column is text and gives way, the others are numbers but for the last. */
export function tableLines(rows: readonly (readonly string[])[], indent: string): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  const others = widths.slice(1).reduce((sum, width) => sum + width + 2, indent.length);
  widths[0] = Math.max(8, Math.min(widths[0] ?? 0, terminalWidth - others));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      const isText = column === 0 || column === columns - 1;
      return isText ? shorten(cell, width).padEnd(width) : cell.padStart(width);
    });
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}

/** Sections with an empty line between them; those without lines are left out. */
export function sectionsText(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}
