import { randomUUID } from 'node:crypto';
import { composed } from './composed-text.ts';
import { isRecord } from './json.ts';
import { isSameInteger, markUnsafeIntegers } from './json-digits.ts';

/**
 * Reads JSON without losing digits: integers that a double cannot hold become `bigint`. Throws a SyntaxError for what
 * is not JSON, and a RangeError for data nested deeper than can be handled.
 */
export function parseExactJson(text: string): unknown {
  const source = text.replace(/^\uFEFF/, '');
  const value: unknown = JSON.parse(source);
  // A random mark, so the text cannot contain it already.
  const mark = randomUUID();
  const marked = markUnsafeIntegers(source, mark);
  if (marked === source) return value;
  return JSON.parse(marked, (_key, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark) ? BigInt(part.slice(mark.length)) : part,
  );
}

/** Numbers as they come out of `parseExactJson`. */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Equality of JSON values: numbers by what they are worth, objects whatever the order of their keys. */
export function jsonEquals(a: unknown, b: unknown, onStep: () => void = () => undefined): boolean {
  onStep();
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string') return composed(a) === composed(b);
  if (isSameInteger(a, b)) return true;
  if (isNumeric(a) && isNumeric(b)) return a <= b && a >= b;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => jsonEquals(item, b[index], onStep));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEquals(a[key], b[key], onStep));
}

/** A value as JSON text for people; data too deep to be written is named instead. */
export function showJson(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `\u0001${part}` : part));
    return text === undefined ? String(value) : text.replace(/"\\u0001(-?\d+)"/g, '$1');
  } catch {
    return Array.isArray(value) ? 'a deeply nested array' : 'a deeply nested object';
  }
}
