import { canonicalJson } from '../../shared/json.ts';

/** An item of a list: the first of its kind, the same again, or another one under the same id. */
type Standing = 'first' | 'again' | 'contradicted';

/** Finds items that arrive again: those with an id by it, and others only where the same item stands twice in a row. */
export class Repeats {
  readonly #byId = new Map<string, string>();
  #last = '';

  standingOf(item: unknown, id?: string): Standing {
    const content = canonicalJson(item);
    const before = id === undefined ? this.#last : this.#byId.get(id);
    this.#last = content;
    if (id !== undefined && before === undefined) this.#byId.set(id, content);
    if (before === content) return 'again';
    return id === undefined || before === undefined ? 'first' : 'contradicted';
  }
}
