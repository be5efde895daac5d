import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, read, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { eachLine } from '../../../shared/text.ts';

const bufferedBytes = 500_000;
const readBytes = 65_536;
const readPiece = promisify(read);

/** Closes the file of a spool that nothing refers to any more; it has no name, so the system then removes it. */
const unused = new FinalizationRegistry<number>((file) => closeSync(file));

/** Lines that are written once and read any number of times: a few in memory, many in a file without a name. */
export class RowSpool {
  readonly #hash = createHash('sha256');
  #buffer: string[] = [];
  #bufferLength = 0;
  #file: number | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether all lines are in memory. */
  get isSmall(): boolean {
    return this.#file === undefined;
  }

  write(line: string): void {
    const text = `${line}\n`;
    this.#hash.update(text);
    this.#buffer.push(text);
    this.#bufferLength += text.length;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bufferLength > bufferedBytes) this.#flush();
  }

  /** Ends the writing, and returns the SHA-256 of all lines. */
  end(): string {
    if (this.#file !== undefined) this.#flush();
    return this.#hash.digest('hex');
  }

  async *lines(): AsyncGenerator<string, void> {
    if (this.#file === undefined) {
      for (const text of this.#buffer) yield text.slice(0, -1);
      return;
    }
    yield* eachLine(this.#pieces(this.#file));
  }

  /** Not a stream: one that is left early closes the file, and its number may be another file's by the next read. */
  async *#pieces(file: number): AsyncGenerator<string, void> {
    const decoder = new StringDecoder('utf8');
    const piece = Buffer.allocUnsafe(readBytes);
    for (let position = 0; ; ) {
      const { bytesRead } = await readPiece(file, piece, 0, readBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      yield decoder.write(piece.subarray(0, bytesRead));
    }
    yield decoder.end();
  }

  #flush(): void {
    this.#file ??= this.#open();
    writeSync(this.#file, this.#buffer.join(''));
    this.#buffer = [];
    this.#bufferLength = 0;
  }

  #open(): number {
    const folder = mkdtempSync(join(tmpdir(), 'assay-rows-'));
    const file = openSync(join(folder, 'rows.jsonl'), 'wx+', 0o600);
    rmSync(folder, { recursive: true, force: true });
    unused.register(this, file);
    return file;
  }
}
