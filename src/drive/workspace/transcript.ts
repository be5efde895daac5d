import { BoundedOutput } from '../../shared/processes/bounded-output.ts';
import { GrowingFile } from '../../shared/redacted-files.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';

const newline = 0x0a;

/** Takes secrets out of a text that comes in pieces; what may be the beginning of one is held back. */
export interface StreamRedaction {
  push(chunk: string): Redacted;
  end(): Redacted;
}

/** How much of the beginning and of the end is kept, in bytes, and how long one channel may hold back a line. */
export interface TranscriptLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly lineBytes: number;
}

const usualLimits: TranscriptLimits = { headBytes: 8 * 1_048_576, tailBytes: 8 * 1_048_576, lineBytes: 1_048_576 };

/** One stream of a process on its way into the transcript. */
export interface TranscriptChannel {
  push(chunk: Buffer): void;
  end(): void;
}

/**
 * The output of an agent in a file: the beginning is written as it arrives, the end when the transcript is closed.
 * Writing never throws; `problem` is the reason why the file is incomplete.
 */
export class Transcript implements Disposable {
  readonly #redaction: StreamRedaction;
  readonly #limits: TranscriptLimits;
  readonly #tail: BoundedOutput;
  #file: GrowingFile | undefined;
  #headBytes = 0;
  #problem: string | undefined;

  constructor(path: string, redaction: StreamRedaction, limits: TranscriptLimits = usualLimits) {
    this.#redaction = redaction;
    this.#limits = limits;
    this.#tail = new BoundedOutput(0, limits.tailBytes);
    this.#attempt(() => {
      this.#file = GrowingFile.begin(path);
    });
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  /** Channels alternate at the ends of lines, to keep lines whole. */
  channel(): TranscriptChannel {
    return new LineHold(this.#limits.lineBytes, (bytes) => this.#append(bytes));
  }

  #append(bytes: Buffer): void {
    if (this.#tail.totalBytes === 0 && this.#headBytes + bytes.length <= this.#limits.headBytes) {
      this.#headBytes += bytes.length;
      this.#write(this.#redaction.push(bytes.toString('utf8')));
    } else this.#tail.append(bytes);
  }

  #write(text: Redacted): void {
    const file = this.#file;
    if (file !== undefined && text !== '') this.#attempt(() => file.write(text));
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : String(error);
    }
  }

  /** Writes the end and closes the file; nothing is taken after that. */
  [Symbol.dispose](): void {
    const file = this.#file;
    if (file === undefined) return;
    const { tail, leftOutBytes } = this.#wholeLinesOfTail();
    if (leftOutBytes > 0) this.#write(this.#redaction.push(`\n… ${leftOutBytes} bytes left out …\n`));
    this.#write(this.#redaction.push(tail.toString('utf8')));
    this.#write(this.#redaction.end());
    this.#file = undefined;
    this.#attempt(() => file[Symbol.dispose]());
  }

  /** A tail that begins in the middle of a line could begin in the middle of a secret, which redaction would miss. */
  #wholeLinesOfTail(): { tail: Buffer; leftOutBytes: number } {
    const tail = this.#tail.tail();
    const cutBytes = this.#tail.truncatedBytes;
    const begin = cutBytes === 0 ? 0 : tail.indexOf(newline) + 1;
    return { tail: tail.subarray(begin), leftOutBytes: cutBytes + begin };
  }
}

/** Hands on whole lines; a line that is longer than the limit is handed on in pieces. */
class LineHold implements TranscriptChannel {
  readonly #limitBytes: number;
  readonly #onBytes: (bytes: Buffer) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(limitBytes: number, onBytes: (bytes: Buffer) => void) {
    this.#limitBytes = limitBytes;
    this.#onBytes = onBytes;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) this.#release(chunk.subarray(0, end));
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  end(): void {
    if (this.#heldBytes > 0) this.#release(Buffer.from('\n'));
  }

  #hold(rest: Buffer): void {
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (this.#heldBytes > this.#limitBytes) this.#release(Buffer.alloc(0));
  }

  #release(last: Buffer): void {
    const bytes = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    this.#onBytes(bytes);
  }
}
