import { isRecord } from '../../../shared/json.ts';

/** Characters of parts that are remembered: a conversation as long as models take it. */
const mostCharacters = 4_000_000;

/**
 * The same function of a request, quicker: an agent sends everything that was said before with each of its requests, so
 * each message, tool and field is looked at once.
 */
export function rememberingParts(change: (value: unknown) => unknown): (value: unknown) => unknown {
  const parts = new RecentParts();
  const changedField = (name: string, value: unknown): unknown => {
    const [changed] = Object.entries(change({ [name]: value }) as object);
    return changed;
  };
  return (request) => {
    if (!isRecord(request)) return change(request);
    const fields = Object.entries(request).flatMap(([name, value]) => {
      if (!Array.isArray(value) || !value.every(isRecord)) {
        return [parts.get(`${name} ${JSON.stringify(value)}`, () => changedField(name, value))];
      }
      const empty = changedField(name, []);
      if (!empty) return [];
      const items = value.map((item) => parts.get(JSON.stringify(item), () => (change([item]) as unknown[])[0]));
      return [[(empty as [string, unknown])[0], items]];
    });
    return Object.fromEntries(fields.filter((field) => field !== undefined) as [string, unknown][]);
  };
}

/** Values by their texts, those that were used last. */
class RecentParts {
  readonly #values = new Map<string, unknown>();
  #characters = 0;

  get(text: string, make: () => unknown): unknown {
    const value = this.#values.has(text) ? this.#values.get(text) : make();
    if (!this.#values.delete(text)) this.#characters += text.length;
    this.#values.set(text, value);
    for (const oldest of this.#values.keys()) {
      if (this.#characters <= mostCharacters) break;
      this.#values.delete(oldest);
      this.#characters -= oldest.length;
    }
    return value;
  }
}
