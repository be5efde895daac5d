import { nameWords } from '../words.ts';
import type { Random } from './random.ts';
import { samplePattern } from './sample-pattern.ts';

type Schema = Readonly<Record<string, unknown>>;

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

/** What people would put into an argument of such a name. */
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
export type TextLength = 'usual' | 'shortest' | 'longest';

/** A text as a schema and the name of its argument suggest it. */
export function sampleText(schema: Schema, name: string, length: TextLength, random: Random): string {
  const { format, pattern } = schema;
  if (typeof pattern === 'string') return samplePattern(pattern, random) ?? usualText(name);
  if (typeof format === 'string' && byFormat[format] !== undefined) return byFormat[format];
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : undefined;
  if (length === 'shortest' && least > 0) return fitted(usualText(name), least, least);
  if (length === 'longest' && most !== undefined && most <= mostCharacters) return fitted(usualText(name), most, most);
  return fitted(usualText(name), least, most ?? Number.MAX_SAFE_INTEGER);
}

function usualText(name: string): string {
  const words = nameWords(name).reverse();
  for (const word of words) {
    const known = byWord.find(
      ([names]) => names.includes(word) || (word.endsWith('s') && names.includes(word.slice(0, -1))),
    );
    if (known) return known[1];
  }
  return 'example';
}

function fitted(text: string, least: number, most: number): string {
  return text.length > most ? text.slice(0, most) : text.padEnd(Math.min(least, 100_000), 'x');
}
