/** A place in a shell text; everything is read once, from the left to the right. */
export class ShellReader {
  readonly text: string;
  position = 0;
  readonly #hereDocuments: { readonly delimiter: string; readonly isIndented: boolean }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** The next character, or the one that many places further; empty behind the end. */
  peek(ahead = 0): string {
    return this.text[this.position + ahead] ?? '';
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.position);
  }

  /** Reads on behind the next occurrence of the text, or to the end; gives what lies before it. */
  takeUntil(end: string): string {
    const found = this.text.indexOf(end, this.position);
    const stop = found === -1 ? this.text.length : found;
    const taken = this.text.slice(this.position, stop);
    this.position = found === -1 ? stop : stop + end.length;
    return taken;
  }

  /** Reads on behind the next such character that has no backslash before it, or to the end. */
  takeUntilUnescaped(end: string): string {
    const start = this.position;
    while (!this.isAtEnd && this.peek() !== end) this.position += this.peek() === '\\' ? 2 : 1;
    const taken = this.text.slice(start, this.position);
    this.position += 1;
    return taken;
  }

  /** Reads blanks, escaped line ends and comments, which run up to the line end. */
  skipBlanks(): void {
    for (;;) {
      if (this.peek() === ' ' || this.peek() === '\t' || this.peek() === '\r') this.position += 1;
      else if (this.startsWith('\\\n')) this.position += 2;
      else if (this.peek() === '#') this.#skipComment();
      else return;
    }
  }

  /** Reads blanks and line ends. */
  skipLineEnds(): void {
    for (this.skipBlanks(); this.peek() === '\n'; this.skipBlanks()) this.takeLineEnd();
  }

  #skipComment(): void {
    const end = this.text.indexOf('\n', this.position);
    this.position = end === -1 ? this.text.length : end;
  }

  /** Its body begins after the next line end. */
  expectHereDocument(delimiter: string, isIndented: boolean): void {
    this.#hereDocuments.push({ delimiter, isIndented });
  }

  /** Reads a line end and the bodies of the here-documents that were announced before it. */
  takeLineEnd(): void {
    this.position += 1;
    for (const { delimiter, isIndented } of this.#hereDocuments.splice(0)) {
      while (!this.isAtEnd) {
        const line = this.takeUntil('\n').replace(/\r$/, '');
        if ((isIndented ? line.replace(/^\t+/, '') : line) === delimiter) break;
      }
    }
  }
}
