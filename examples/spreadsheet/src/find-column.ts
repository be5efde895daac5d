import { failures } from './failures.ts';

/** Resolves a column by index or else by name; undefined when neither is given. */
export function findColumn(
  headers: readonly string[],
  index: number | undefined,
  name: string | undefined,
): number | undefined {
  if (index !== undefined) {
    if (index < 0 || index >= headers.length) throw failures.columnOutOfBounds(index, headers.length);
    return index;
  }
  if (name === undefined) return undefined;
  const found = headers.indexOf(name);
  if (found === -1) throw failures.columnNotFound(name);
  if (headers.includes(name, found + 1)) throw failures.columnAmbiguous(name);
  return found;
}
