import { isWholeText } from '../../../shared/utf8.ts';

const lineFeed = 0x0a;

interface CutListener {
  onLine(line: Buffer): void;
  /** Called for a line that is longer than allowed: with its beginning, and then with each further part of it. */
  onLongPart(part: Buffer, isFirst: boolean): void;
  onLongEnd(): void;
}

/** Cuts a stream of bytes into lines, and holds no more of it than the longest line that is allowed. */
export class LineCutter {
  readonly #limitBytes: number;
  readonly #listener: CutListener;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isLong = false;

  constructor(limitBytes: number, listener: CutListener) {
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

  /** The last line of a stream may have no end. */
  end(): void {
    if (this.#bytes > 0 || this.#isLong) this.#finish();
  }

  #hold(part: Buffer): void {
    if (this.#isLong) return void this.#listener.onLongPart(part, false);
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#limitBytes) return;
    this.#isLong = true;
    this.#listener.onLongPart(this.#held(), true);
  }

  #finish(): void {
    const isLong = this.#isLong;
    this.#isLong = false;
    if (isLong) this.#listener.onLongEnd();
    else this.#listener.onLine(this.#held());
  }

  #held(): Buffer {
    this.#bytes = 0;
    return joined(this.#parts.splice(0));
  }
}

/** Buffers as one; a single one is not copied. */
export function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

interface LineListener {
  /** `isText` is false for a line with bytes that are not UTF-8. */
  onLine(line: string, isText: boolean): void;
  /** Called once for each line that is longer than allowed, with its beginning; the rest of it is skipped. */
  onTooLong(beginning: string): void;
}

const beginningBytes = 200;

/** The lines of a stream as texts. */
export class MessageLines extends LineCutter {
  constructor(limitBytes: number, listener: LineListener) {
    super(limitBytes, {
      onLine: (line) => {
        const text = line.toString('utf8');
        listener.onLine(text, isWholeText(text, line));
      },
      onLongPart: (part, isFirst) => {
        if (isFirst) listener.onTooLong(part.toString('utf8', 0, beginningBytes));
      },
      onLongEnd: () => undefined,
    });
  }
}
