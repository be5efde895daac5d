import { isRecord } from '../../shared/json.ts';

export { parseTracedJson as parseJson } from '../../shared/json.ts';
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value as text: non-empty text, or a number. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The value if it is a text with words: names of tools and answers are never numbers. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' ? nameOf(value) : undefined;
}

/** The value as a finite number, from a number or text. */
export function figureOf(value: unknown): number | undefined {
  const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : undefined;
}

/** The first value that is a finite number of at least 0. */
export function amountOf(...values: readonly unknown[]): number | undefined {
  return values.map(figureOf).find((figure) => figure !== undefined && figure >= 0);
}

/** Milliseconds of a time in seconds. */
export function msOfSeconds(seconds: unknown): number | undefined {
  const amount = amountOf(seconds);
  return amount === undefined ? undefined : amount * 1_000;
}

/** Milliseconds between two times, which never go back; undefined where one of them is not known. */
export function msBetween(started: unknown, ended: unknown): number | undefined {
  const ms = (timeOf(ended) ?? Number.NaN) - (timeOf(started) ?? Number.NaN);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** An object without the members that are not known: `{ model: undefined }` is `{}`. */
export function knownParts<Part>(parts: Readonly<Record<string, Part | undefined>>): Record<string, Part> {
  const present = Object.entries(parts).filter((entry): entry is [string, Part] => entry[1] !== undefined);
  return Object.fromEntries(present);
}

/** The elements of a list that are objects. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Milliseconds since 1970 of a time given as text, seconds, milliseconds, microseconds or nanoseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
    const parsed = Date.parse(value);
    return possibleTime(parsed);
  }
  const figure = figureOf(value) ?? Number.NaN;
  if (figure < 1e11) return possibleTime(figure * 1_000);
  if (figure < 1e14) return possibleTime(figure);
  return possibleTime(figure < 1e17 ? figure / 1_000 : figure / 1e6);
}

const latestMs = Date.UTC(9999, 0);

/** The time if it lies between 1970 and 9999. */
export function possibleTime(ms: number): number | undefined {
  return ms > 0 && ms < latestMs ? ms : undefined;
}

/** Approximate length of a value as JSON, without serialising it. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let characters = 2;
  for (const key in value) characters += key.length + 4 + charactersIn((value as Record<string, unknown>)[key]);
  return characters;
}
