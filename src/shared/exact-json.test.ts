import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../testing/support/repetitions.ts';
import { jsonEquals, parseExactJson, showJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it('keeps every digit of an integer, and nothing else is changed', () => {
    const text =
      '{"a": [9007199254740993, -12345678901234567890, 1.5, 9007199254740991, 1e30], "b": "9007199254740993"}';
    expect(parseExactJson(text)).toEqual({
      a: [9007199254740993n, -12345678901234567890n, 1.5, 9007199254740991, 1e30],
      b: '9007199254740993',
    });
  });

  it.each([
    '"\\\\"',
    '"\\" 12345678901234567890"',
    '"a\\\\\\" 12345678901234567890 \\"b"',
    '{"12345678901234567890": 1}',
  ])('leaves digits inside of strings alone: %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it('reads what JSON.parse reads, and refuses what it refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '12345678901234567890',
      '-',
      '.',
      'e5',
      'a',
      '0',
      'null',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (json) => {
        const read = (parse: (source: string) => unknown): unknown => {
          try {
            return JSON.stringify(parse(json), (_key, part) => (typeof part === 'bigint' ? Number(part) : part));
          } catch {
            return 'refused';
          }
        };
        expect(read(parseExactJson)).toBe(read(JSON.parse));
      }),
      { seed: 9, numRuns: repetitions({ usual: 300, inFull: 3_000 }) },
    );
  });

  it('reads a byte order mark over', () => {
    expect(parseExactJson('\uFEFF[1]')).toEqual([1]);
  });
});

describe('jsonEquals', () => {
  it('compares numbers by what they are worth', () => {
    expect(jsonEquals(9007199254740992, 9007199254740992n)).toBe(true);
    expect(jsonEquals(9007199254740992, 9007199254740993n)).toBe(false);
    expect(jsonEquals({ a: [1, null] }, { a: [1, null] })).toBe(true);
    expect(jsonEquals({ a: undefined }, { b: undefined })).toBe(false);
    expect(jsonEquals([], {})).toBe(false);
  });
});

describe('showJson', () => {
  it('writes JSON, and names what cannot be written', () => {
    expect(showJson({ id: 9007199254740993n, text: '\u0001' })).toBe('{"id":9007199254740993,"text":"\\u0001"}');
    expect(showJson(undefined)).toBe('undefined');
    expect(showJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toBe('a deeply nested array');
  });
});
