import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../shared/exact-json.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import {
  type Assertion,
  checkAssertion,
  InvalidAssertion,
  parseAssertion,
  problemOfAssertion,
} from './json-assertion.ts';

function checked(assertion: string, value: unknown): [boolean, string] {
  const { passed, message } = checkAssertion(parseAssertion(assertion), { isSingular: true, values: [value] });
  return [passed, message];
}

function selected(assertion: string, ...values: unknown[]): boolean {
  return checkAssertion(parseAssertion(assertion), { isSingular: false, values }).passed;
}

function missing(assertion: string): [boolean, string] {
  const { passed, message } = checkAssertion(parseAssertion(assertion), { isSingular: true, values: [] });
  return [passed, message];
}

describe('parseAssertion', () => {
  it.each<[string, Assertion]>([
    ['exists', { kind: 'exists' }],
    ['  exists\n', { kind: 'exists' }],
    ['equals 3', { kind: 'equals', value: 3 }],
    ['equals  "3"', { kind: 'equals', value: '3' }],
    ['equals done and dusted', { kind: 'equals', value: 'done and dusted' }],
    ['equals null', { kind: 'equals', value: null }],
    ['equals {"a": [1]}', { kind: 'equals', value: { a: [1] } }],
    ['equals 9007199254740993', { kind: 'equals', value: 9007199254740993n }],
    ['contains b c', { kind: 'contains', substring: 'b c' }],
    ['contains "quoted"', { kind: 'contains', substring: '"quoted"' }],
    ['matches ^v\\d+', { kind: 'matches', pattern: '^v\\d+' }],
    ['len>=3', { kind: 'len', comparison: '>=', length: 3 }],
    ['len != 0', { kind: 'len', comparison: '!=', length: 0 }],
    ['> 5', { kind: 'number', comparison: '>', value: 5 }],
    ['<=-1.5e2', { kind: 'number', comparison: '<=', value: -150 }],
    ['== 007', { kind: 'number', comparison: '==', value: 7 }],
  ])('reads %j', (text, assertion) => {
    expect(parseAssertion(text)).toEqual(assertion);
  });

  it.each([
    ['', 'it is empty'],
    ['$.count > 5', 'the path goes into `path` ("$.count") and only "> 5" into `assertion`'],
    ['$.count', 'a path goes into `path`'],
    ['equals', '"equals" must be followed by the expected value'],
    ['len', '"len >= 3"'],
    ['len >= many', '"len >= 3"'],
    ['len = 3', '"len >= 3"'],
    ['== "x"', 'for anything else write "equals <value>"'],
    ['> Infinity', 'for anything else'],
    ['matches (', 'the regular expression cannot be used'],
    ['is nice', 'write exists, equals <value>'],
    ['EXISTS', 'write exists'],
  ])('refuses %j and says what to write', (text, reason) => {
    expect(problemOfAssertion(text)).toContain(reason);
  });

  it('reads any text, or says why not', () => {
    const words = [
      'exists',
      'equals',
      'contains',
      'matches',
      'len',
      '>=',
      '==',
      '$',
      '3',
      ' ',
      '(',
      '"',
      '\n',
      'é',
      '-1',
    ];
    const anything = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom(...words)).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(anything, fc.jsonValue(), (text, value) => {
        try {
          const { message } = checkAssertion(parseAssertion(text), { isSingular: true, values: [value] });
          expect(message).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidAssertion);
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });
});

describe('checkAssertion', () => {
  it('finds every JSON value equal to itself, and to nothing of another value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        const printed = parseExactJson(JSON.stringify(value));
        expect(checked(`equals ${JSON.stringify(value)}`, printed)[0]).toBe(true);
        const isSame = isDeepStrictEqual(printed, parseExactJson(JSON.stringify(other)));
        expect(checked(`equals ${JSON.stringify(other)}`, printed)[0]).toBe(isSame);
      }),
      { seed: 4, numRuns: repetitions({ usual: 100, inFull: 1_000 }) },
    );
  });

  it('compares like numbers do', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }), (a, b) => {
        const expected = { '==': a === b, '!=': a !== b, '>': a > b, '>=': a >= b, '<': a < b, '<=': a <= b };
        for (const [comparison, isHeld] of Object.entries(expected)) {
          expect(checked(`${comparison} ${b}`, a)[0]).toBe(isHeld);
        }
      }),
      { seed: 4 },
    );
  });

  it.each([
    ['len >= 3', ['a', 'b'], 'len is 2, wanted >= 3'],
    ['len == 1', { a: 1, b: 2 }, 'len is 2, wanted == 1'],
    ['len > 1', 'text', 'value is not an array or object but "text", wanted len > 1'],
    ['equals 42', '42', 'value is "42", wanted 42'],
    ['equals done', 'open', 'value is "open", wanted "done"'],
    ['equals {"a":1}', { a: 1, b: 2 }, 'value is {"a":1,"b":2}, wanted {"a":1}'],
    ['equals 9007199254740993', 9007199254740992, 'value is 9007199254740992, wanted 9007199254740993'],
    ['contains x', 'abc', 'value is "abc", wanted a text that contains "x"'],
    ['contains x', ['x'], 'value is not a text but ["x"]'],
    ['matches ^b', 'abc', 'value is "abc", wanted a text that matches "^b"'],
    ['matches 1', 1, 'value is not a text but 1'],
    ['> 5', 5, 'value is 5, wanted > 5'],
    ['> 5', '7', 'value is not a number but "7"'],
    ['exists', null, 'value is null, wanted a value'],
  ])('fails %s and says why', (assertion, value, reason) => {
    const [passed, message] = checked(assertion, value);
    expect(passed).toBe(false);
    expect(message).toContain(reason);
  });

  it.each([
    ['exists', false],
    ['exists', ''],
    ['equals 1.0', 1],
    ['equals -0', 0],
    ['equals {"b":2,"a":1}', { a: 1, b: 2 }],
    ['equals naïve 🎉', 'naïve 🎉'],
    ['equals 9007199254740993', 9007199254740993n],
    ['contains 🎉', 'a 🎉 b'],
    ['matches (?i)HELLO', 'say hello'],
    ['> 9007199254740992', 9007199254740993n],
    ['!= 9007199254740992', 9007199254740993n],
    ['len == 0', []],
  ])('passes %s', (assertion, value) => {
    expect(checked(assertion, value)[0]).toBe(true);
  });

  it('distinguishes a missing value from null', () => {
    expect(missing('exists')).toEqual([false, 'path not found, wanted a value']);
    expect(missing('equals null')).toEqual([false, 'path not found, wanted null']);
    expect(missing('len == 0')).toEqual([false, 'path not found, wanted len == 0']);
    expect(checked('equals null', null)[0]).toBe(true);
  });

  it('looks at the list of all that a path selects', () => {
    expect(selected('exists')).toBe(false);
    expect(selected('exists', null)).toBe(false);
    expect(selected('exists', null, 0)).toBe(true);
    expect(selected('len == 2', 'a', 'b')).toBe(true);
    expect(selected('len == 0')).toBe(true);
    expect(selected('equals ["a"]', 'a')).toBe(true);
    expect(selected('> 5', 6)).toBe(false);
  });
});
