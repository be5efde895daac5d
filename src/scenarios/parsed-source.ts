import type { FilePosition } from '../domain/errors.ts';

export type DataPath = readonly PropertyKey[];

/** The data of a file, and where each part of it stands. */
export interface ParsedSource {
  readonly file: string;
  readonly value: unknown;
  /** Position of the value at a path; of the nearest thing around it that exists when it does not. */
  locate(path: DataPath): FilePosition;
  /** Position of a key of the mapping at a path. */
  locateKey(path: DataPath, key: string): FilePosition;
  /** Position of a character (from 1) inside the string at a path, as exactly as the way it is quoted allows. */
  locateInString(path: DataPath, character: number): FilePosition;
}

/** Turns offsets into lines and columns, both from 1. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
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
    return { file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

/**
 * Offset of a character of a string value whose source text starts at `start`: exact where the source spells the
 * value out as it is, else the start of the string.
 */
export function offsetInString(text: string, start: number, value: string, character: number): number {
  const quoted = text[start] === '"' || text[start] === "'" ? 1 : 0;
  const isVerbatim = text.startsWith(value, start + quoted);
  return isVerbatim ? start + quoted + character - 1 : start;
}
