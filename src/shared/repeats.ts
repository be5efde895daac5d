import { hash } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** An item of a list: the first of its kind, the same again, or another one under the same id. */
type Standing = 'first' | 'again' | 'contradicted';

/** Longer contents are kept as their digest. */
const longestKept = 64;

/** Finds items that arrive again: those with an id by it, and others only where the same item stands twice in a row. */
export class Repeats {
  readonly #byId = new Map<string, string>();
  #last = '';

  /** Texts are compared as they are, and data whatever the order of its keys. */
  standingOf(item: unknown, id?: string): Standing {
    const text = typeof item === 'string' ? item : canonicalJson(item);
    const content = text.length > longestKept ? hash('sha1', text) : text;
    const before = id === undefined ? this.#last : this.#byId.get(id);
    this.#last = content;
    if (id !== undefined && before === undefined) this.#byId.set(id, content);
    if (before === content) return 'again';
    return id === undefined || before === undefined ? 'first' : 'contradicted';
  }
}
