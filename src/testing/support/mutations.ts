import fc from 'fast-check';

/** Steps from the root of a document to one of its values. */
export type Path = readonly (string | number)[];

/** The way to every value inside of a document. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const inside = [...path, Array.isArray(value) ? Number(key) : key];
    return [inside, ...pathsOf(part, inside)];
  });
}

/** A copy with another value at a path; the path may lead nowhere after earlier changes. */
export function changed(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? changed(item, rest, replacement) : item));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [step]: changed((value as Record<string, unknown>)[step], rest, replacement) };
}

/** A copy in which a key has another name, or is gone. */
export function renamed(value: unknown, [step, ...rest]: Path, key: string | undefined): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? renamed(item, rest, key) : item));
  const entries = Object.entries(value as Record<string, unknown>).flatMap(([name, part]): [string, unknown][] => {
    if (name !== step) return [[name, part]];
    if (rest.length > 0) return [[name, renamed(part, rest, key)]];
    return key === undefined ? [] : [[key, part]];
  });
  return Object.fromEntries(entries);
}

/** Copies that are wrong in one to four places. */
export function wrongCopies(
  good: unknown,
  paths: readonly Path[],
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), values), { minLength: 1, maxLength: 4 });
  return changes.map((list) => list.reduce<unknown>((part, [path, value]) => changed(part, path, value), good));
}

/** Copies of a YAML text that are cut and filled with junk; `ownJunk` means something in the format. */
export function junkTexts(text: string, ownJunk: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(text.length),
    removed: fc.nat(12),
    added: fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('\n', ': ', '- ', '{', '"', '\t', '&a ', '*a', ownJunk),
    ),
  });
  return fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map((edits) =>
      edits.reduce((whole, { at, removed, added }) => whole.slice(0, at) + added + whole.slice(at + removed), text),
    );
}

/** Names of keys that objects of JavaScript have already, or that no file has. */
export const strangeKeys = ['__proto__', 'constructor', 'toString', '', 'call', 'type', 'a\u0000b'];
