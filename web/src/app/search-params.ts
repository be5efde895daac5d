/** What stands in an address after the `?`, as texts. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Addresses as people know them: every value is a text, and stands there as it is. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** The counterpart of `parseSearch`; what is undefined or empty is left out. */
export function stringifySearch(search: RawSearch): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') parameters.set(key, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The texts among the parameters that a page knows; whatever else stands there is ignored. */
export function texts<Key extends string>(raw: RawSearch, keys: readonly Key[]): { [K in Key]?: string | undefined } {
  const found: { [K in Key]?: string | undefined } = {};
  for (const key of keys) {
    const value = raw[key];
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text === 'string' && text !== '') found[key] = text;
  }
  return found;
}

/** One of the words that are allowed, or nothing. */
export function oneOf<Word extends string>(value: string | undefined, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === value);
}

/** A whole number from 0, or nothing. */
export function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
