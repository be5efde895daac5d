import { isRecord } from '../../shared/json.ts';

/** What lies at a path of keys in JSON that somebody else wrote; undefined where the path breaks off. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
