import { isWholeText } from '../../../shared/utf8.ts';

const lineFeed = 0x0a;

interface LineListener {
  /** `isText` is false for a line with bytes that are not UTF-8. */
  onLine(line: string, isText: boolean): void;
  /** Called once for each line that is longer than allowed, with its beginning; the rest of it is skipped. */
  onTooLong(beginning: string): void;
}

const beginningBytes = 200;

/** Cuts a stream of bytes into lines, and holds no more of it than the longest line that is allowed. */
export class MessageLines {
  readonly #limitBytes: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isSkipping = false;

  constructor(limitBytes: number, listener: LineListener) {
    this.#limitBytes = limitBytes;
    this.#listener = listener;
  }

  append(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#limitBytes) return;
    const beginning = Buffer.concat(this.#parts).toString('utf8', 0, beginningBytes);
    this.#parts = [];
    this.#isSkipping = true;
    this.#listener.onTooLong(beginning);
  }

  #finish(): void {
    const [first] = this.#parts;
    const line = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    const wasSkipping = this.#isSkipping;
    this.#parts = [];
    this.#bytes = 0;
    this.#isSkipping = false;
    if (wasSkipping) return;
    const text = line.toString('utf8');
    this.#listener.onLine(text, isWholeText(text, line));
  }
}
