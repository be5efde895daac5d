import { displayWidth } from '../../shared/display-width.ts';
import type { CliContext } from './context.ts';
import { control } from './terminal-border.ts';

/** Lines at the end of a terminal that are drawn again and again, below what is printed for good. */
export class LiveLines {
  readonly #stream: CliContext['stderr'];
  #drawn: readonly string[] = [];

  constructor(stream: CliContext['stderr']) {
    this.#stream = stream;
  }

  /** A terminal whose size is not known says 0. */
  get columns(): number {
    return this.#stream.columns || 80;
  }

  get rows(): number {
    return this.#stream.rows || 24;
  }

  /** Each line must fit the terminal. One write, so nothing flickers. */
  draw(lines: readonly string[]): void {
    control(this.#stream, this.#clearing(), lines.join('\n'));
    this.#drawn = lines;
  }

  /** Removes the lines, and prints text in their place. */
  replaceBy(text: string): void {
    const clearing = this.#clearing();
    if (clearing + text !== '') control(this.#stream, clearing, text);
    this.#drawn = [];
  }

  #clearing(): string {
    if (this.#drawn.length === 0) return '';
    const rows = this.#drawn.reduce((sum, line) => sum + this.#rowsOf(line), 0);
    return `\r${'\u001B[1A'.repeat(rows - 1)}\u001B[J`;
  }

  /** A line that was drawn before the terminal became narrower takes several rows now. */
  #rowsOf(line: string): number {
    const width = displayWidth(line.replace(/\u001B\[[0-9;]*m/g, ''));
    return Math.max(1, Math.ceil(width / this.columns));
  }
}
