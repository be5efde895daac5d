import { isRecord, parseTracedJson } from '../../shared/json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a line holds; undefined for anything else, and for what is nested too deeply to be walked through. */
export function parseJsonObject(line: string): JsonObject | undefined {
  // Most lines that are not JSON are recognised by their first character.
  const value = line.trimStart().startsWith('{') ? parseTracedJson(line) : undefined;
  return isRecord(value) ? value : undefined;
}

/** The value as an object; an empty one where it is none. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * The sum of reported counts, of which only the first must be there. A count that is not a number is handed on, and
 * refused where the sum is read.
 */
export function addUp(first: unknown, ...others: readonly unknown[]): unknown {
  const present = others.filter((count) => count !== undefined && count !== null);
  if (first === undefined || first === null) return undefined;
  const counts = [first, ...present];
  const odd = counts.find((count) => typeof count !== 'number' || count < 0);
  return odd ?? counts.reduce<number>((sum, count) => sum + Number(count), 0);
}

/** The text of a message's content, which is a text itself or a list of parts of which some have one. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (typeof part === 'string' ? part : objectOf(part).text))
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** The value at a path of keys in untrusted JSON; undefined where the path breaks off. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
