import { markUnsafeIntegers } from './json-digits.ts';

/** True for plain JSON objects: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of some data with each of its texts replaced; names of fields stay. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return isRecord(value) ? mapFields(value, (part) => mapTexts(part, change)) : value;
}

const deepestText = 100;

/** Every text in a value, names of fields aside. */
export function textsIn(value: unknown, levels = deepestText): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.values(value).flatMap((part) => textsIn(part, levels - 1));
}

/** A copy of a record with each value replaced. */
export function mapFields<Value>(
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Some members of an object, without those that it does not have: `{ a: 1, b: undefined }` has only `a`. */
export function pickedFrom<Fields extends object, Key extends keyof Fields>(
  fields: Fields,
  keys: readonly Key[],
): Pick<Fields, Key> {
  const present = keys.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]);
  return Object.fromEntries(present) as Pick<Fields, Key>;
}

/** JSON text with object keys in sorted order, so equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sortKeys(part) : part)) ?? 'null';
}

function sortKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Levels of nesting that a text may have: readers walk data recursively, and a reply must not exhaust their stack. */
const mostLevels = 1_000;

/**
 * The value of a JSON text, with or without a byte order mark; undefined for any other text, and for data that is nested
 * too deeply to be walked through.
 */
export function parseJson(text: string): unknown {
  const value = parseAnyJson(text);
  return mayBeDeeperThan(text, mostLevels) && isDeeperThan(value, mostLevels) ? undefined : value;
}

/** The same for data of any depth, for a reader that looks at that first. */
export function parseAnyJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Why a text has no value here, for messages. */
export function whyNotJson(text: string): 'not JSON' | 'nested too deeply' {
  return parseAnyJson(text) === undefined ? 'not JSON' : 'nested too deeply';
}

/** Whether a text has enough opening brackets to be nested deeper. */
export function mayBeDeeperThan(text: string, levels: number): boolean {
  let found = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++found > levels) return true;
    }
  }
  return false;
}

/** The value of a JSON text, or the text itself. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** Levels of values in traces, which more code walks through. */
const mostTracedLevels = 200;

/**
 * The value of a JSON text for traces, where values are compared: an id that a number cannot hold keeps its digits as a
 * text. Undefined for any other text, and for data that is nested too deeply to be walked through.
 */
export function parseTracedJson(text: string): unknown {
  return tracedValue(text, parseAnyJson(text));
}

/** The same for a text that was parsed already: only one with such an id is parsed again. */
export function tracedValue(text: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (mayBeDeeperThan(text, mostTracedLevels) && isDeeperThan(value, mostTracedLevels)) return undefined;
  const source = text.replace(/^\uFEFF/, '');
  const marked = markUnsafeIntegers(source, '');
  return marked === source ? value : JSON.parse(marked);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

/** The value of a JSON text for traces, or the text itself. */
export function tracedJson(text: string): unknown {
  const value = parseTracedJson(text);
  return value === undefined ? text : value;
}

/** Whether a text that is not JSON looks like a part of it: a message that was cut, and not the words of a program. */
export function resemblesJson(text: string): boolean {
  return /^\s*[{[]\s*(?:["{[]|$)|"\s*:\s*(?:["{[\d-]|true|false|null)|["}\]]\s*\}\s*$/.test(text);
}
