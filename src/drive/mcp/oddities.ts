import { printable } from '../../shared/text.ts';

const shownChars = 120;

/** What a server sent that it should not have and that was overlooked; the first of each kind is kept. */
export class Oddities {
  readonly #kinds = new Map<string, { count: number; readonly first: string }>();

  /** `kind` is the rest of a sentence in the plural: "lines that are no messages". Gives how many there were. */
  note(kind: string, example: () => string): number {
    const known = this.#kinds.get(kind);
    if (known) return ++known.count;
    this.#kinds.set(kind, { count: 1, first: printable(example().slice(0, shownChars)) });
    return 1;
  }

  /** One sentence part for each kind. */
  texts(): string[] {
    return [...this.#kinds].map(([kind, { count, first }]) => `${count} ${kind}, the first: ${first}`);
  }
}
