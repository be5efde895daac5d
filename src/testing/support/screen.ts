import { Writable } from 'node:stream';

/** A terminal of some width: interprets what programs draw, so a test sees what a person sees. */
export class Screen extends Writable {
  readonly isTTY = true;
  columns: number;
  readonly rows: number;
  /** Lines that were longer than the terminal is wide. */
  readonly broken: string[] = [];
  #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows = 40) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  /** Everything on it, without colours; lines that were too long are broken as a terminal breaks them. */
  get text(): string {
    return this.#lines.map((line) => line.trimEnd()).join('\n');
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const [piece] of String(chunk).matchAll(/\u001B\[[0-9;]*[A-Za-z]|[\s\S]/gu)) this.#take(piece);
    done();
  }

  #take(piece: string): void {
    if (piece === '\n') this.#moveTo(this.#row + 1, 0);
    else if (piece === '\r') this.#column = 0;
    else if (piece.endsWith('A') && piece.startsWith('\u001B'))
      this.#row = Math.max(0, this.#row - Number(piece.slice(2, -1)));
    else if (piece === '\u001B[J') this.#lines = [...this.#lines.slice(0, this.#row), this.#kept()];
    else if (piece === '\u001B[K') this.#lines[this.#row] = this.#kept();
    else if (!piece.startsWith('\u001B')) this.#print(piece);
  }

  #print(character: string): void {
    if (this.#column >= this.columns) {
      this.broken.push(this.#lines[this.#row] ?? '');
      this.#moveTo(this.#row + 1, 0);
    }
    const line = [...(this.#lines[this.#row] ?? '').padEnd(this.#column)];
    line[this.#column++] = character;
    this.#lines[this.#row] = line.join('');
  }

  #moveTo(row: number, column: number): void {
    this.#row = row;
    this.#column = column;
    while (this.#lines.length <= row) this.#lines.push('');
  }

  #kept(): string {
    return (this.#lines[this.#row] ?? '').slice(0, this.#column);
  }
}
