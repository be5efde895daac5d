import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { MessageLines } from '../stdio/message-lines.ts';
import { type LogRecord, logRecordSchema } from './log-record.ts';

const chunkBytes = 262_144;
/** A text of one megabyte in which every character has to be escaped. */
const longestLineBytes = 8 * 1_048_576;
/** Of what all proxies of one server have written; who fills the file does not fill our memory. */
const mostBytes = 128 * 1_048_576;

/** Reads what proxies append to a file, as often as it is asked; what no proxy writes is overlooked and counted. */
export class LogReader implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #lines: MessageLines;
  #offset = 0;
  #strays = 0;

  /** Makes the file, which must not be there yet. It is held open, so that nobody can put another in its place. */
  constructor(path: string, onRecord: (record: LogRecord) => void) {
    this.#path = path;
    const { O_RDWR, O_CREAT, O_EXCL } = constants;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    this.#lines = new MessageLines(longestLineBytes, {
      onLine: (line) => this.#take(line, onRecord),
      onTooLong: () => this.#strays++,
    });
  }

  /** Tells of every record that is written by now. */
  read(): void {
    const end = Math.min(fstatSync(this.#file).size, mostBytes);
    while (this.#offset < end) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - this.#offset));
      const bytesRead = readSync(this.#file, chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      this.#lines.append(chunk.subarray(0, bytesRead));
    }
  }

  /** What may be missing, in words. */
  get problems(): string[] {
    return [
      ...(this.#strays > 0 ? [`${this.#strays} lines of the record were written by nobody that is known`] : []),
      ...(fstatSync(this.#file).size > mostBytes ? ['the record was too long to be read whole'] : []),
      ...(this.#isInPlace() ? [] : ['the file of the record was removed or replaced by somebody else']),
    ];
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #take(line: string, onRecord: (record: LogRecord) => void): void {
    if (line === '') return;
    const record = logRecordSchema.safeParse(parsed(line)).data;
    if (record) onRecord(record);
    else this.#strays++;
  }

  #isInPlace(): boolean {
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    return found?.ino === fstatSync(this.#file).ino;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
