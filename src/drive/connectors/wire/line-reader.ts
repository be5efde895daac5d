/** Cuts text that comes in pieces of any size into lines; lines may end as on any system. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #rest = '';
  #isFirst = true;
  #endedInReturn = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(piece: string): void {
    if (piece === '') return;
    let text = this.#isFirst ? piece.replace(/^\uFEFF/, '') : piece;
    this.#isFirst = false;
    if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1);
    this.#endedInReturn = piece.endsWith('\r');
    // Looked for in the new part only, so that a line of many pieces is not searched again with each of them.
    if (!/[\r\n]/.test(text)) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }

  /** Gives the last line, where it has no end. */
  end(): void {
    const line = this.#rest;
    this.#rest = '';
    if (line !== '') this.#onLine(line);
  }
}
