import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** One line of a file. */
export interface FileLine {
  /** Without its end; undefined when it is longer than can be held. */
  readonly text: string | undefined;
  /** From 1. */
  readonly number: number;
  /** False for a last line that does not end, which may have been cut. */
  readonly isEnded: boolean;
  /** False when characters had to be replaced. */
  readonly isUtf8: boolean;
}

const newline = 0x0a;
const readBytes = 262_144;
const longestLineBytes = 16 * 1_048_576;

/** The lines of the first bytes of a file, so that a file that grows meanwhile reads the same again. */
export async function* fileLines(path: string, bytes: number): AsyncGenerator<FileLine, void> {
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
export async function* fileText(path: string, bytes: number): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  for await (const chunk of fileChunks(path, bytes)) yield decoder.write(chunk);
  yield decoder.end();
}

async function* fileChunks(path: string, bytes: number): AsyncGenerator<Buffer, void> {
  if (bytes > 0) yield* createReadStream(path, { end: bytes - 1, highWaterMark: readBytes }) as AsyncIterable<Buffer>;
}

/** A line that comes in pieces. */
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
    const isWhole = !text.includes('\uFFFD') || isUtf8(bytes);
    return { text: number === 1 ? text.replace(/^\uFEFF/, '') : text, number, isEnded, isUtf8: isWhole };
  }
}
