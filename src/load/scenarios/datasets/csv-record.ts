import type { FilePosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';

/** One cell with its position, which includes an opening quote. */
export interface CsvCell {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly at: FilePosition;
}

interface OpenCell {
  readonly at: FilePosition;
  readonly parts: string[];
}

/** One record (RFC 4180), built line by line because a quoted cell may span several lines. */
export class CsvRecord {
  readonly cells: CsvCell[] = [];
  /** Where it begins. */
  readonly line: number;
  readonly #file: string;
  #open: OpenCell | undefined;
  #problem: Problem | undefined;

  constructor(file: string, line: number) {
    this.#file = file;
    this.line = line;
  }

  /** Syntax error of the record. */
  get problem(): Problem | undefined {
    return this.#problem ?? (this.#open && { at: this.#open.at, message: 'the quote is not closed' });
  }

  /** Adds the next line of the file; true when the record ends with it. */
  addLine(text: string, line: number): boolean {
    let start = this.#open ? this.#continueQuoted(text, 0, line) : 0;
    while (start <= text.length && !this.#open && !this.#problem) {
      start = text[start] === '"' ? this.#beginQuoted(text, start, line) : this.#addPlain(text, start, line);
    }
    return !this.#open;
  }

  /** Each of these returns the start of the next cell, beyond the end of the text when there is none. */
  #addPlain(text: string, start: number, line: number): number {
    const comma = text.indexOf(',', start);
    const end = comma === -1 ? text.length : comma;
    const cell = { text: text.slice(start, end), isQuoted: false, at: this.#at(line, start) };
    const quote = cell.text.indexOf('"');
    if (quote !== -1) this.#problem = quoteInside(this.#at(line, start + quote));
    this.cells.push(cell);
    return end + 1;
  }

  #beginQuoted(text: string, start: number, line: number): number {
    this.#open = { at: this.#at(line, start), parts: [] };
    return this.#continueQuoted(text, start + 1, line);
  }

  #continueQuoted(text: string, start: number, line: number): number {
    const open = this.#open;
    if (!open) return start;
    const end = closingQuote(text, start);
    open.parts.push(text.slice(start, end === -1 ? undefined : end).replaceAll('""', '"'));
    if (end === -1) return text.length + 1;
    this.cells.push({ text: open.parts.join('\n'), isQuoted: true, at: open.at });
    this.#open = undefined;
    if (end + 1 < text.length && text[end + 1] !== ',') this.#problem = quoteInside(this.#at(line, end));
    return end + 2;
  }

  #at(line: number, offset: number): FilePosition {
    return { file: this.#file, line, column: offset + 1 };
  }
}

/** The records of a file that is read line by line; blank lines between them are skipped. */
export class CsvRecords {
  readonly #file: string;
  #open: CsvRecord | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** The record that ends with this line. */
  take(text: string, line: number): CsvRecord | undefined {
    if (!this.#open && text.trim() === '') return undefined;
    this.#open ??= new CsvRecord(this.#file, line);
    return this.#open.addLine(text, line) ? this.rest() : undefined;
  }

  /** The record that no line has ended. */
  rest(): CsvRecord | undefined {
    const record = this.#open;
    this.#open = undefined;
    return record;
  }
}

function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

function quoteInside(at: FilePosition): Problem {
  return {
    at,
    message: 'quote in the middle of a cell',
    hint: 'Put the whole cell in quotes, and double each quote inside: "say ""hi""".',
  };
}

/** Position of a character (from 0) of a cell's text. */
export function placeInCell({ text, isQuoted, at }: CsvCell, offset: number): FilePosition {
  if (!isQuoted) return { ...at, column: at.column + offset };
  const linesBefore = text.slice(0, offset).split('\n');
  const [last = ''] = linesBefore.slice(-1);
  const spelt = last.length + (last.match(/"/g)?.length ?? 0);
  const column = linesBefore.length === 1 ? at.column + 1 + spelt : spelt + 1;
  return { ...at, line: at.line + linesBefore.length - 1, column };
}
