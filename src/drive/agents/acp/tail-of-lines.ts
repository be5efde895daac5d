/** The last lines of an output within a limit of bytes. */
export class TailOfLines {
  #mostBytes: number;
  #lines: string[] = [];
  #bytes = 0;
  isCut = false;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  append(line: string): void {
    const ended = `${line}\n`;
    this.#lines.push(ended);
    this.#bytes += Buffer.byteLength(ended);
    // Dropping only at twice the limit keeps the work linear in what was printed.
    if (this.#bytes > 2 * this.#mostBytes) this.#lines = [this.#cut()];
  }

  text(): string {
    return this.#bytes > this.#mostBytes ? this.#cut() : this.#lines.join('');
  }

  /** Lets go of all but the last bytes. */
  shrinkTo(mostBytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, mostBytes);
    this.#lines = [this.text()];
  }

  #cut(): string {
    this.isCut = true;
    const bytes = Buffer.from(this.#lines.join(''));
    let start = Math.max(0, bytes.length - this.#mostBytes);
    // A character that the limit falls into is dropped whole.
    while (start < bytes.length && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++;
    const kept = bytes.subarray(start);
    this.#bytes = kept.length;
    const text = kept.toString('utf8');
    this.#lines = [text];
    return text;
  }
}
