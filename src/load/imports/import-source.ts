import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { counted } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
import { isWholeText } from '../../shared/utf8.ts';
import { JsonScanner, type ScannedPart } from '../sources/json-scanner.ts';
import { figureOf, type JsonObject, parseJson } from './coerce.ts';
import { DocumentParts, recordsOf, type SourceRecord } from './document-parts.ts';
import { ImportProblems } from './find-files.ts';
import type { Columns } from './formats/table/columns.ts';
import { lost } from './losses.ts';
import type { TraceCollector } from './trace-collector.ts';

/** One line of a file. */
interface FileLine {
  /** Without its line end; undefined when it is too long. */
  readonly text: string | undefined;
  /** From 1. */
  readonly number: number;
  /** False for a last line without a line end, which may be incomplete. */
  readonly isEnded: boolean;
  /** False when characters had to be replaced. */
  readonly isUtf8: boolean;
}

const newline = 0x0a;
const readBytes = 262_144;
const longestLineBytes = 16 * 1_048_576;
/** The first ones are enough. */
const mostLosses = 20;

/** The lines of the first bytes of a file, so a growing file reads the same again. */
async function* fileLines(path: string, bytes: number): AsyncGenerator<FileLine, void> {
  const held = new HeldLine();
  let number = 1;
  for await (const chunk of fileChunks(path, bytes)) {
    let begin = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, begin)) {
      held.add(chunk.subarray(begin, end));
      yield held.take(number++, true);
      begin = end + 1;
    }
    held.add(chunk.subarray(begin));
  }
  if (!held.isEmpty) yield held.take(number, false);
}

/** The text of the first bytes of a file, in pieces that need not end where lines do. */
async function* fileText(path: string, bytes: number): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  for await (const chunk of fileChunks(path, bytes)) yield decoder.write(chunk);
  yield decoder.end();
}

async function* fileChunks(path: string, bytes: number): AsyncGenerator<Buffer, void> {
  if (bytes > 0) yield* createReadStream(path, { end: bytes - 1, highWaterMark: readBytes }) as AsyncIterable<Buffer>;
}

/** A line that arrives in pieces. */
class HeldLine {
  #pieces: Buffer[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= longestLineBytes) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  take(number: number, isEnded: boolean): FileLine {
    const isTooLong = this.#bytes > longestLineBytes;
    const [only = Buffer.alloc(0)] = this.#pieces;
    const bytes = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : only;
    this.#pieces = [];
    this.#bytes = 0;
    if (isTooLong) return { text: undefined, number, isEnded, isUtf8: true };
    const text = bytes.toString('utf8').replace(/\r$/, '');
    return {
      text: number === 1 ? text.replace(/^\uFEFF/, '') : text,
      number,
      isEnded,
      isUtf8: isWholeText(text, bytes),
    };
  }
}

/** A readable line. */
export interface SourceLine {
  readonly text: string;
  readonly number: number;
  /** False for a last line that may be incomplete. */
  readonly isEnded: boolean;
}

/** Facts about the files that the user gives, beside their format. */
export interface ImportOptions {
  /** Scores that are at least this are a pass, others a fail. Undefined: a score alone is not a verdict. */
  readonly passAt?: number | undefined;
  /** The columns of tables by what they hold; `guessed` confirms the guess. */
  readonly columns?: Columns | 'guessed' | undefined;
}

interface SourceFile {
  /** As the user names it. */
  readonly file: string;
  readonly path: string;
  readonly bytes: number;
  readonly problems: Pick<ImportProblems, 'add'>;
  readonly options?: ImportOptions | undefined;
}

/** A file that trials are read from, piece by piece. */
export class ImportSource {
  readonly file: string;
  readonly path: string;
  readonly options: ImportOptions;
  readonly #bytes: number;
  readonly #problems: Pick<ImportProblems, 'add'>;
  readonly #losses: { readonly line: number; readonly message: string }[] = [];
  #hasInvalidText = false;

  constructor({ file, path, bytes, problems, options = {} }: SourceFile) {
    this.file = file;
    this.path = path;
    this.options = options;
    this.#bytes = bytes;
    this.#problems = problems;
  }

  /** The same file, whose problems are not reported: for reading it beforehand. */
  silent(): ImportSource {
    const { file, path, options } = this;
    return new ImportSource({ file, path, bytes: this.#bytes, problems: ImportProblems.ignored, options });
  }

  /** Reports an unreadable part. */
  problem(line: number, message: string, hint?: string): void {
    this.#problems.add({ at: { file: this.file, line, column: 1 }, message, hint, isWarning: false });
  }

  /** Reports a part that cannot be read, and that may be of any trial of the file. */
  lostPart(line: number, message: string): void {
    if (this.#losses.length < mostLosses) this.#losses.push({ line, message });
    this.problem(line, message);
  }

  /** Compares how many trials a file says that it has with those that it has; nothing where it does not say so. */
  expectCount(what: string, reported: readonly unknown[], found: number): void {
    const counts = reported.map(figureOf);
    const sum = counts.reduce<number>((all, count) => all + (count ?? 0), 0);
    if (counts.every((count) => count === undefined) || sum === found) return;
    this.problem(1, `the file reports ${counted(sum, what)}, and has ${found}`);
  }

  /** The first parts of the file that could not be read. */
  get losses(): readonly { readonly line: number; readonly message: string }[] {
    return this.#losses;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A place in the file, as people write it. */
  placeOf(line: number): string {
    return `${this.file}:${line}`;
  }

  /** Makes the unreadable parts of the file from a line on gaps of a trial that is made of several of its parts. */
  lossesInto({ lose }: Pick<TraceCollector, 'lose'>, fromLine = 1): void {
    for (const { line, message } of this.#losses)
      if (line >= fromLine) lose(lost.everything, message, this.placeOf(line));
  }

  /** Reports a minor problem. */
  warning(line: number, message: string): void {
    this.#problems.add({ at: { file: this.file, line, column: 1 }, message, isWarning: true });
  }

  /** Reports an invalid line; one at the end may be cut off. */
  unreadable({ number, isEnded }: Pick<SourceLine, 'number' | 'isEnded'>, message: string): void {
    this.lostPart(number, isEnded ? message : `the last line is incomplete: ${message}`);
  }

  /** Whether bytes of the part that was read had to be replaced. */
  get hasInvalidText(): boolean {
    return this.#hasInvalidText;
  }

  /** All of its text, in pieces. */
  async *text(): AsyncGenerator<string, void> {
    for await (const text of fileText(this.path, this.#bytes)) {
      this.#hasInvalidText ||= text.includes('\uFFFD');
      yield text;
    }
  }

  async *lines(): AsyncGenerator<SourceLine, void> {
    for await (const line of fileLines(this.path, this.#bytes)) {
      if (!line.isUtf8 && !this.#hasInvalidText) {
        this.#hasInvalidText = true;
        this.warning(line.number, 'invalid UTF-8: the invalid bytes were replaced');
      }
      if (line.text === undefined) this.lostPart(line.number, 'the line is too long and was left out');
      else yield { text: line.text, number: line.number, isEnded: line.isEnded };
    }
  }

  /** The lines that are JSON objects; others are reported. */
  async *objectLines(): AsyncGenerator<SourceLine & { readonly object: JsonObject }, void> {
    for await (const line of this.lines()) {
      if (line.text.trim() === '') continue;
      const object = parseJson(line.text);
      if (isRecord(object)) yield { ...line, object };
      else this.unreadable(line, 'not a JSON object');
    }
  }

  /**
   * The JSON values of the file, whether it has one on each line or is one document; of the members of these names, such
   * as `runs` or `results.runs`, the elements of their lists.
   */
  async *records(...lists: readonly string[]): AsyncGenerator<SourceRecord, void> {
    const splitKeys = new Set(lists);
    if (await this.#isOneDocument()) yield* this.#parts(splitKeys);
    else yield* this.#lineRecords(splitKeys);
  }

  async #isOneDocument(): Promise<boolean> {
    const lines: FileLine[] = [];
    for await (const line of fileLines(this.path, this.#bytes)) {
      if (line.text?.trim() === '') continue;
      lines.push(line);
      if (lines.length === 5) break;
    }
    const [first, ...others] = lines.map(({ text }) => text?.trim());
    if (first === undefined) return lines.length > 0;
    if (parseJson(first) !== undefined) return false;
    return /^\[|[[{,]$/.test(first) || !others.some((text) => text !== undefined && isRecord(parseJson(text)));
  }

  async *#lineRecords(splitKeys: ReadonlySet<string>): AsyncGenerator<SourceRecord, void> {
    let document = 0;
    for await (const line of this.lines()) {
      if (line.text.trim() === '') continue;
      const value = parseJson(line.text);
      if (value === undefined) this.unreadable(line, 'not JSON');
      else yield* recordsOf(value, splitKeys, line.number, ++document);
    }
  }

  async *#parts(splitKeys: ReadonlySet<string>): AsyncGenerator<SourceRecord, void> {
    let found: ScannedPart[] = [];
    const scanner = new JsonScanner(
      splitKeys,
      (part) => found.push(part),
      (line) => this.lostPart(line, 'the part that begins here is too long and was left out'),
    );
    const documents = new DocumentParts(splitKeys, (line) => this.lostPart(line, 'not JSON'));
    for await (const text of this.text()) {
      scanner.push(text);
      for (const part of found) yield* documents.take(part);
      found = [];
    }
    const brokenAt = scanner.end();
    for (const part of found) yield* documents.take(part);
    yield* documents.finish();
    if (brokenAt !== undefined) {
      this.lostPart(brokenAt, 'the file ends within the part that begins here; the parts before it were read');
    }
  }
}
