import { compileTextPattern, UnusablePattern } from '../../shared/patterns.ts';
import type { Random } from '../../shared/seeded-random.ts';
import { nameWords } from '../definitions/words.ts';
import { samplePattern } from './sample-pattern.ts';
import type { Schema } from './schema-parts.ts';

/** Which number is wanted where the schema leaves a choice; limits are tried only where the schema has them. */
type NumberChoice = 'usual' | 'lowest' | 'highest' | 'any';

/** A number within the limits of a schema. */
export function sampleNumber(schema: Schema, isInteger: boolean, choice: NumberChoice, random: Random): number {
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : isInteger ? 1 : undefined;
  const { low, high } = limits(schema, step);
  if (choice === 'lowest' && low !== undefined) return onStep(low, step, Math.ceil);
  if (choice === 'highest' && high !== undefined) return onStep(high, step, Math.floor);
  if (choice === 'any') {
    const from = low ?? Math.min(0, high ?? 0);
    const to = high ?? from + 10;
    const chosen = from + random() * (Math.min(to, from + 1_000) - from);
    return onStep(chosen, step ?? undefined, Math.floor, low);
  }
  const wanted = Math.min(Math.max(1, low ?? 1), high ?? Number.MAX_VALUE);
  return onStep(wanted, step, low !== undefined && wanted <= low ? Math.ceil : Math.floor, low);
}

function limits(schema: Schema, step: number | undefined): { low: number | undefined; high: number | undefined } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const next = step ?? nextTo(schema);
  const lows = [
    numeric(minimum) && exclusiveMinimum === true ? minimum + next : minimum,
    numeric(exclusiveMinimum) ? exclusiveMinimum + next : undefined,
  ].filter(numeric);
  const highs = [
    numeric(maximum) && exclusiveMaximum === true ? maximum - next : maximum,
    numeric(exclusiveMaximum) ? exclusiveMaximum - next : undefined,
  ].filter(numeric);
  return {
    low: lows.length > 0 ? Math.max(...lows) : undefined,
    high: highs.length > 0 ? Math.min(...highs) : undefined,
  };
}

/** A step that stays inside of narrow limits. */
function nextTo({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number {
  const low = [minimum, exclusiveMinimum].find(numeric);
  const high = [maximum, exclusiveMaximum].find(numeric);
  return low !== undefined && high !== undefined ? Math.min(0.5, (high - low) / 4) : 0.5;
}

function onStep(value: number, step: number | undefined, round: (value: number) => number, low?: number): number {
  if (step === undefined) return value;
  const rounded = Number((round(value / step) * step).toPrecision(15));
  return low !== undefined && rounded < low ? Number((Math.ceil(low / step) * step).toPrecision(15)) : rounded;
}

function numeric(value: unknown): value is number {
  return typeof value === 'number';
}

const byFormat: Readonly<Record<string, string>> = {
  date: '2025-01-31',
  'date-time': '2025-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/example',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

/** A usual value for an argument of this name. */
const byWord: readonly (readonly [words: readonly string[], text: string])[] = [
  [['path', 'file', 'filename', 'dir', 'directory', 'folder', 'cwd'], '.'],
  [['url', 'uri', 'link', 'href'], 'https://example.com/'],
  [['email'], 'ada@example.com'],
  [['date', 'day', 'since', 'until'], '2025-01-31'],
  [['time', 'timestamp', 'datetime'], '2025-01-31T12:00:00Z'],
  [['timezone', 'tz'], 'UTC'],
  [['language', 'lang', 'locale'], 'en'],
  [['country'], 'US'],
  [['currency'], 'USD'],
  [['city', 'location', 'place'], 'Berlin'],
  [['id', 'uuid', 'key'], '1'],
  [['pattern', 'glob', 'regex'], '*'],
  [['query', 'q', 'search', 'keyword', 'term', 'topic', 'question'], 'weather'],
  [['name', 'title', 'user', 'author'], 'Ada'],
  [['expression', 'formula'], '1 + 1'],
  [['message', 'text', 'content', 'prompt', 'body', 'input'], 'Hello'],
];
const mostCharacters = 2_000;

/** Which length of text is wanted where the schema leaves a choice. */
type TextLength = 'usual' | 'shortest' | 'longest';

/** A text as a schema and the name of its argument suggest it. */
export function sampleText(schema: Schema, name: string, length: TextLength, random: Random): string {
  const { format, pattern } = schema;
  if (typeof pattern === 'string')
    return usualMatch(pattern, schema, name) ?? samplePattern(pattern, random) ?? usualText(name);
  if (typeof format === 'string' && byFormat[format] !== undefined) return byFormat[format];
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : undefined;
  if (length === 'shortest' && least > 0) return fitted(usualText(name), least, least);
  if (length === 'longest' && most !== undefined && most <= mostCharacters) return fitted(usualText(name), most, most);
  return fitted(usualText(name), least, most ?? Number.MAX_SAFE_INTEGER);
}

const dates = ['date', 'date-time', 'time'];

/**
 * A usual text that fits a pattern: what only fits the pattern, such as a date of the 57th month, is refused for good
 * reasons.
 */
function usualMatch(pattern: string, schema: Schema, name: string): string | undefined {
  const { format, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = schema;
  try {
    const { occursIn } = compileTextPattern(pattern);
    const candidates = [byFormat[String(format)], usualText(name), ...dates.map((kind) => byFormat[kind])];
    return candidates.find(
      (text) =>
        text !== undefined && text.length >= Number(minLength) && text.length <= Number(maxLength) && occursIn(text),
    );
  } catch (error) {
    if (error instanceof UnusablePattern) return undefined;
    throw error;
  }
}

function usualText(name: string): string {
  const words = nameWords(name).reverse();
  for (const word of words) {
    const match = byWord.find(
      ([names]) => names.includes(word) || (word.endsWith('s') && names.includes(word.slice(0, -1))),
    );
    if (match) return match[1];
  }
  return 'example';
}

function fitted(text: string, least: number, most: number): string {
  return text.length > most ? text.slice(0, most) : text.padEnd(Math.min(least, 100_000), 'x');
}
