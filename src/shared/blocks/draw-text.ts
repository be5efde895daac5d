import { createColors } from 'picocolors';
import { displayWidth, fitted, padded } from '../display-width.ts';
import { visible, visibleLine } from '../text.ts';
import {
  type Block,
  type Item,
  marks,
  plainWords,
  type Section,
  shownSections,
  type Table,
  type Tone,
  type Words,
} from './block.ts';
import { cellText, columnWidths, fittedNames, stacked, type TableText, turned, widthOf, wrapped } from './layout.ts';

export interface TextStyle {
  readonly color: boolean;
  /** Columns of the terminal; 80 where the text goes elsewhere, and without end where lines are to stay whole. */
  readonly width?: number | undefined;
  /** Stands before every line. */
  readonly indent?: string | undefined;
}

/** Sections for a terminal, with an empty line between them. */
export function drawText(sections: readonly Section[], style: TextStyle): string {
  const drawer = new TextDrawer(style);
  return `${shownSections(sections)
    .map((section) => drawer.section(section).join('\n'))
    .join('\n\n')}\n`;
}

/** The lines of one section, for whom places them. */
export function sectionLines(section: Section, style: TextStyle): string[] {
  return shownSections([section]).flatMap((one) => new TextDrawer(style).section(one));
}

class TextDrawer {
  readonly #width: number;
  readonly #indent: string;
  readonly #paints: Readonly<Record<Tone, (text: string) => string>>;

  constructor({ color, width, indent = '' }: TextStyle) {
    const { green: good, red: bad, yellow: unsure, bold: strong, dim: quiet } = createColors(color);
    this.#width = widthOf({ width });
    this.#indent = indent;
    this.#paints = { good, bad, unsure, strong, quiet };
  }

  section({ title, level, blocks }: Section): string[] {
    const heading = title === undefined ? [] : this.#lines(title, '', '', level === 1 ? 'strong' : undefined);
    const lines = [...heading, ...blocks.flatMap((block) => this.#block(block))];
    return this.#indent === '' ? lines : lines.map((line) => (line === '' ? '' : this.#indent + line));
  }

  #block(block: Block): string[] {
    switch (block.kind) {
      case 'text':
        return this.#lines(block.words, '  ', '  ', block.tone);
      case 'list':
        return this.#list(block.items);
      case 'code':
        return block.text
          .trimEnd()
          .split('\n')
          .map((line) => `  ${this.#paint(visible(line), diffTone(line))}`);
      case 'table':
        return this.#table(block).map((line) => `  ${line}`.trimEnd());
    }
  }

  /** Names stand in a column; a name that is much longer than others makes its own line longer. */
  #list(items: readonly Item[]): string[] {
    const names = items.map(({ name }) => (name === undefined ? 0 : displayWidth(visibleLine(name))));
    const widest = Math.min(Math.max(0, ...names), widestName);
    return items.flatMap(({ words, mark, name, tone, isOneLine = false, below = [] }) => {
      const [sign, ofSign] = mark === undefined ? ['-', undefined] : marks[mark];
      const start = name === undefined ? sign : padded(visibleLine(name), widest);
      const prefix = `  ${this.#paint(start, ofSign)} ${name === undefined ? '' : ' '}`;
      const taken = displayWidth(start) + (name === undefined ? 3 : 4);
      const cut = isOneLine ? fitted(visibleLine(plainWords(words)), this.#width - taken) : words;
      const indent = name === undefined ? '    ' : ' '.repeat(taken);
      const first = this.#lines(cut, prefix, indent, tone, taken);
      return [...first, ...below.flatMap((line) => this.#lines(line, '      ', '      '))];
    });
  }

  /** Words in lines that fit; a word that is longer than a line is cut. */
  #lines(words: Words, first: string, indent: string, tone?: Tone, firstWidth = first.length): string[] {
    const { plain, tones } = this.#spans(words);
    const lines = wrapped(plain, this.#width, indent.length, firstWidth);
    if (lines.length === 0) return [first.trimEnd()];
    return lines.map(([start, end], index) => {
      const text = this.#painted(plain, tones, start, end, tone);
      const [before, taken] = index === 0 ? [first, firstWidth] : [indent, indent.length];
      const isLong = taken + displayWidth(plain.slice(start, end)) > this.#width;
      return `${before}${isLong ? fitted(plain.slice(start, end), this.#width - taken) : text}`;
    });
  }

  #spans(words: Words): {
    readonly plain: string;
    readonly tones: readonly (readonly [end: number, tone: Tone | undefined])[];
  } {
    const tones: [number, Tone | undefined][] = [];
    let plain = '';
    for (const part of typeof words === 'string' ? [words] : words) {
      plain += visibleLine(typeof part === 'string' ? part : part.text);
      tones.push([plain.length, typeof part === 'string' ? undefined : part.tone]);
    }
    return { plain, tones };
  }

  #painted(
    plain: string,
    tones: readonly (readonly [number, Tone | undefined])[],
    start: number,
    end: number,
    tone?: Tone,
  ): string {
    let from = start;
    const parts = tones.map(([until, own]) => {
      const part = plain.slice(from, Math.max(from, Math.min(until, end)));
      from = Math.max(from, Math.min(until, end));
      return this.#paint(part, own);
    });
    return this.#paint(parts.join(''), tone);
  }

  #paint(text: string, tone: Tone | undefined): string {
    return tone === undefined || text === '' ? text : this.#paints[tone](text);
  }

  #table({ columns, rows }: Table): string[] {
    const heads = columns.map(({ head }) => head);
    const cells = rows.map((row) => columns.map((_, index) => visibleLine(plainWords(row.cells[index] ?? ''))));
    const whole: TableText = {
      rows: [heads, ...cells],
      isFigure: columns.map(({ isFigure = false }) => isFigure),
      isCut: columns.map(({ isCut }, index) => isCut ?? index === 0),
    };
    const room = this.#width - 2;
    if (columnWidths(whole, room)) {
      const tones = [
        heads.every((head) => head === '') ? undefined : ('quiet' as const),
        ...rows.map(({ tone }) => tone),
      ];
      return this.#aligned(whole, room, tones).slice(tones[0] === undefined ? 1 : 0);
    }
    const onSide = turned(whole);
    return onSide && columnWidths(onSide, room) ? this.#aligned(onSide, room, []) : stacked(whole, room);
  }

  #aligned(table: TableText, room: number, tones: readonly (Tone | undefined)[]): string[] {
    const widths = columnWidths(table, room) ?? [];
    const [head = [], ...rows] = table.rows;
    const names = fittedNames(
      rows.map(([name = '']) => name),
      widths[0] ?? 0,
    );
    const fitting = [head, ...rows.map(([, ...cells], index) => [names[index] ?? '', ...cells])];
    return fitting.map((row, index) => {
      const cells = row.map((cell, column) => cellText(cell, widths[column] ?? 0, table.isFigure[column] ?? false));
      return this.#paint(cells.join('  ').trimEnd(), tones[index]);
    });
  }
}

const widestName = 40;

/** Lines of a diff have the colour of what they do. */
function diffTone(line: string): Tone | undefined {
  return ({ '+': 'good', '-': 'bad', '@': 'quiet' } as const)[line.charAt(0)];
}
