import type { FilePosition } from '../../domain/errors.ts';

export type DataPath = readonly PropertyKey[];

/** Rows of a dataset in the code of a module; iterated once. */
export type CodeRows = () => AsyncIterable<unknown> | Iterable<unknown>;

/** The data of a file, with the position of each value. */
export interface ParsedSource {
  readonly file: string;
  readonly value: unknown;
  /** Of a scenario in code whose `dataset` is code too. */
  readonly rows?: CodeRows | undefined;
  /** Position of the value at a path, or of the nearest existing value around it. */
  locate(path: DataPath): FilePosition;
  /** Position of a key of the mapping at a path. */
  locateKey(path: DataPath, key: string): FilePosition;
  /** Position of a character (from 1) inside the string at a path, as exactly as the way it is quoted allows. */
  locateInString(path: DataPath, character: number): FilePosition;
}

/** The value at a path of some data; undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: DataPath): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<PropertyKey, unknown> | null | undefined)?.[step], value);
}

/** A part of a source as a source; paths are relative to it, positions are those of the file. */
export function below(source: ParsedSource, prefix: DataPath): ParsedSource {
  return {
    file: source.file,
    value: valueAt(source.value, prefix),
    locate: (path) => source.locate([...prefix, ...path]),
    locateKey: (path, key) => source.locateKey([...prefix, ...path], key),
    locateInString: (path, character) => source.locateInString([...prefix, ...path], character),
  };
}

/** Turns offsets into lines and columns, both from 1; the text may itself begin at a later line of its file. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #firstLine: number;

  constructor(text: string, firstLine = 1) {
    this.#firstLine = firstLine;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  position(file: string, offset: number): FilePosition {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + this.#firstLine, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

/**
 * Offset of a character (from 1) of a string value whose source text starts at `start`: exact where the source spells
 * the value on one line, else the start of the string.
 */
export function offsetInString(text: string, start: number, value: string, character: number): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return text.startsWith(value, start) ? start + character - 1 : start;
  let at = start + 1;
  for (let passed = 1; passed < character; passed++) {
    if (at >= text.length || text[at] === '\n') return start;
    at += spellingLength(text, at, quote);
  }
  return at;
}

/** Length of the source text that spells one character of the value. */
function spellingLength(text: string, at: number, quote: string): number {
  if (quote === "'") return text[at] === "'" ? 2 : 1;
  if (text[at] !== '\\') return 1;
  const digits = { x: 2, u: 4, U: 8 }[text[at + 1] ?? ''] ?? 0;
  return 2 + digits;
}
