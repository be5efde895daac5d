import { createReadStream } from 'node:fs';
import type { Problem } from '../../../domain/problem.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import { decodeText } from '../../sources/source-file.ts';

/** One row of a dataset before it is checked. */
export interface RawRow {
  readonly value: Readonly<Record<string, unknown>>;
  /** Names the row in messages where positions cannot. */
  readonly label?: string;
  /** Problem that the parser accepts and a dataset must not have, such as a duplicate key. */
  flaw?(): Problem | undefined;
  /** Positions of its values; built only when there is a problem. */
  source(): ParsedSource;
}

/** True when a row could not be parsed. */
export function isProblem(row: RawRow | Problem): row is Problem {
  return 'message' in row;
}

const newline = 0x0a;

/** The text of a file in pieces of whole lines; other bytes than UTF-8 are refused with their position. */
export async function* decodedText(file: string, path: string): AsyncGenerator<string, void> {
  let unfinished: Buffer[] = [];
  let line = 1;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      unfinished.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...unfinished, chunk.subarray(0, end)]);
    unfinished = [chunk.subarray(end)];
    yield decodeText(file, lines, line);
    line += countNewlines(lines);
  }
  yield decodeText(file, Buffer.concat(unfinished), line);
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
