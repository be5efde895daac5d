import { shorten } from '../../shared/text.ts';
import { guardValueDepth, type Run, spendSize, spendSteps } from './budget.ts';

/** An object of JSON data that is not an array. */
export type DataObject = Record<string, unknown>;

/** Distinguishes an object from arrays, null and scalars. */
export function isDataObject(value: unknown): value is DataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own property; whatever a value inherits (`constructor`, `toString`) reads as undefined. */
export function readOwn(value: unknown, key: string): unknown {
  if (typeof value === 'object') {
    return value !== null && Object.hasOwn(value, key) ? (value as DataObject)[key] : undefined;
  }
  if (typeof value === 'string') return readCharacter(value, key);
  return undefined;
}

function readCharacter(text: string, key: string): unknown {
  if (key === 'length') return text.length;
  const index = Number(key);
  return String(index) === key ? text[index] : undefined;
}

/** Sets an own property even when it is called `__proto__`. */
export function setOwn(target: DataObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Converts as `String(value)` does, but within the budget and without calling anything the data holds. */
export function toText(value: unknown, run: Run, depth = 0): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return joinTexts(value, ',', run, depth);
  return isDataObject(value) ? '[object Object]' : String(value);
}

/** Joins as `array.join(separator)` does, within the budget. */
export function joinTexts(items: readonly unknown[], separator: string, run: Run, depth = 0): string {
  guardValueDepth(depth);
  spendSteps(run, 1 + items.length);
  spendSize(run, separator.length * Math.max(0, items.length - 1));
  const texts: string[] = [];
  for (const item of items) {
    const text = item === undefined || item === null ? '' : toText(item, run, depth + 1);
    spendSize(run, text.length);
    texts.push(text);
  }
  return texts.join(separator);
}

/** Joins two texts; the engine shares the longer one, so only the shorter is paid for. */
export function joinTwo(first: string, second: string, run: Run): string {
  spendSize(run, 1 + Math.min(first.length, second.length));
  return first + second;
}

/** Converts an array or object to text and leaves scalars alone. */
export function toPrimitive(value: unknown, run: Run): unknown {
  return typeof value === 'object' && value !== null ? toText(value, run) : value;
}

/** Converts as `Number(value)` does. */
export function toNumber(value: unknown, run: Run): number {
  return typeof value === 'number' ? value : Number(toPrimitive(value, run));
}

/** Compares as `==` does. */
export function looselyEqual(left: unknown, right: unknown, run: Run): boolean {
  if (left === right) return true;
  if (left === null || left === undefined) return right === null || right === undefined;
  if (right === null || right === undefined) return false;
  const leftIsObject = typeof left === 'object';
  const rightIsObject = typeof right === 'object';
  if (leftIsObject && rightIsObject) return false;
  if (leftIsObject) return looselyEqual(toPrimitive(left, run), right, run);
  if (rightIsObject) return looselyEqual(left, toPrimitive(right, run), run);
  return typeof left === typeof right ? false : Number(left) === Number(right);
}

const maxTextLength = 60;

/** Says what a value is in a few words: scalars in full, long texts cut, arrays and objects by their kind. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A value beside another that it differs from: two texts that begin alike are shown from a little before the difference. */
export function describeBeside(value: unknown, other: unknown): string {
  const usual = describeValue(value);
  if (typeof value !== 'string' || typeof other !== 'string' || usual !== describeValue(other)) return usual;
  const from = Math.max(0, firstDifference(value, other) - shownBefore);
  return quote(`…${value.slice(/[\uDC00-\uDFFF]/.test(value.charAt(from)) ? from + 1 : from)}`);
}

const shownBefore = 20;

function firstDifference(text: string, other: string): number {
  let index = 0;
  while (index < text.length && text[index] === other[index]) index++;
  return index;
}

/** Quotes a text with single quotes on one line, at most 60 characters. */
function quote(text: string): string {
  return `'${shorten(text, maxTextLength).replace(/[\u0000-\u001f\u007f]/g, escapeControl)}'`;
}

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeControl(character: string): string {
  return controlEscapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** Names the type of a value with its article: `a number`, `an array`, `undefined`. */
export function describeType(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Counts things: `1 item`, `3 items`. */
export function countOf(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? '' : 's'}`;
}
