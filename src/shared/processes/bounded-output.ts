import { isWholeText } from '../utf8.ts';

/**
 * Keeps the head and the tail of a byte stream of any length in bounded memory and says how much was left out, so
 * that a program that prints a gigabyte costs no more than one that prints a line.
 */
export class BoundedOutput {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  append(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    // With a limit of 0 the last 0 bytes would be `subarray(-0)`, which is everything.
    if (rest.length > 0 && this.#tailLimit > 0) this.#appendToTail(rest);
  }

  #appendToTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    // Joining only when twice the limit is held keeps the copying linear in what was written.
    if (this.#tailBytes > 2 * this.#tailLimit) {
      const kept = Buffer.from(Buffer.concat(this.#tail).subarray(-this.#tailLimit));
      this.#tail = [kept];
      this.#tailBytes = kept.length;
    }
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get truncatedBytes(): number {
    return Math.max(0, this.#totalBytes - this.#headLimit - this.#tailLimit);
  }

  /** The last bytes that are kept beside the head. */
  tail(): Buffer {
    return Buffer.concat(this.#tail).subarray(-this.#tailLimit);
  }

  /** Whether all that is kept is text in UTF-8; where the middle was left out, characters may be cut at its borders. */
  isText(): boolean {
    if (this.truncatedBytes > 0) return true;
    const bytes = this.#kept();
    return isWholeText(bytes.toString('utf8'), bytes);
  }

  text(): string {
    if (this.truncatedBytes === 0) return this.#kept().toString('utf8');
    const tail = this.tail();
    const head = Buffer.concat(this.#head).toString('utf8');
    return `${head}\n… ${this.truncatedBytes} bytes left out …\n${tail.toString('utf8')}`;
  }

  #kept(): Buffer {
    return Buffer.concat([...this.#head, this.tail()]);
  }
}
