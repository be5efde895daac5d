import { isRecord } from '../json.ts';

/** Where a value stands in a document: keys of maps and places in lists, from the outside inwards. */
export type Path = readonly (string | number)[];

/** One edit of a document, whatever the file looks like. */
export type DocumentChange =
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'insert'; readonly path: Path; readonly index: number; readonly value: unknown }
  | { readonly kind: 'move'; readonly path: Path; readonly from: number; readonly to: number };

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => childOf(inner, key), value);
}

/** The value of a document after a change; the given value is not modified. */
export function changedValue(value: unknown, change: DocumentChange): unknown {
  switch (change.kind) {
    case 'set':
      return replacedAt(value, change.path, () => change.value);
    case 'remove':
      return removedAt(value, change.path);
    case 'insert':
      return replacedAt(value, change.path, (list) => asList(list).toSpliced(change.index, 0, change.value));
    case 'move':
      return replacedAt(value, change.path, (list) => moved(asList(list), change.from, change.to));
  }
}

/** The list with one item at another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const [item] = list.slice(from, from + 1);
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}

function childOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function replacedAt(value: unknown, path: Path, replace: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replace(value);
  const child = replacedAt(childOf(value, key), rest, replace);
  if (typeof key === 'number') return asList(value).toSpliced(key, 1, child);
  return { ...(isRecord(value) ? value : {}), [key]: child };
}

function removedAt(value: unknown, path: Path): unknown {
  const key = path.at(-1);
  const parentPath = path.slice(0, -1);
  if (key === undefined || valueAt(value, path) === undefined) return value;
  return replacedAt(value, parentPath, (parent) => {
    if (Array.isArray(parent)) return parent.toSpliced(Number(key), 1);
    return Object.fromEntries(Object.entries(parent ?? {}).filter(([name]) => name !== key));
  });
}

/** Whether two values of documents say the same; the order of keys aside. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
  );
}

/** The smallest changes that turn one value into another, so the rest of a file stays as it is; undefined removes. */
export function changesBetween(before: unknown, after: unknown, path: Path = []): DocumentChange[] {
  if (isSameValue(before, after)) return [];
  if (after === undefined) return [{ kind: 'remove', path }];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item: unknown, index) => changesBetween(before[index], item, [...path, index]));
  }
  if (!isRecord(before) || !isRecord(after)) return [{ kind: 'set', path, value: after }];
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key) => ({ kind: 'remove', path: [...path, key] }) as const),
    ...Object.entries(after).flatMap(([key, value]) =>
      changesBetween(Object.hasOwn(before, key) ? before[key] : undefined, value, [...path, key]),
    ),
  ];
}
