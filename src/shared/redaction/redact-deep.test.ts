import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownWords } from './own-words.ts';
import { redactDeep, redactionOf, redactionWithPatterns } from './redaction.ts';

const redact = redactionWithPatterns(['known-value-1', '314159265358']);

describe('redactDeep', () => {
  it('cleans texts, keys and numbers, and keeps the structure', () => {
    const value = { a: ['x known-value-1', 1, null, true], 'known-value-1': { n: 314159265358, small: 12 } };
    expect(redactDeep(value, redact)).toEqual({
      a: ['x [redacted]', 1, null, true],
      '[redacted]': { n: '[redacted]', small: 12 },
    });
  });

  it('gives the very same value back when nothing is secret', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(redactDeep(value, redactionOf(['known-value-1']))).toBe(value);
      }),
      { seed: 61 },
    );
  });

  it('keeps the parts that nothing is changed in', () => {
    const same = { deep: ['ordinary'] };
    expect(redactDeep({ same, other: 'known-value-1' }, redact).same).toBe(same);
  });

  it('leaves no known value in any JSON', () => {
    const part = fc.constantFrom('known-value-1', 'a known-value-1 b', 'ordinary');
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        part,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(part, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (each) => {
        expect(JSON.stringify(redactDeep(each, redact))).not.toContain('known-value-1');
      }),
      { seed: 62, numRuns: 500 },
    );
  });

  it('takes a name into account that says its value is secret', () => {
    expect(redactDeep({ api_key: 'a1b2c3d4e5', note: 'a1b2c3d4e5', token: 'ordinary' }, redact)).toEqual({
      api_key: '[REDACTED]',
      note: 'a1b2c3d4e5',
      token: 'ordinary',
    });
    expect(redactDeep(['login', '--token', 'a1b2c3d4e5', 'a1b2c3d4e5'], redact)).toEqual([
      'login',
      '--token',
      '[REDACTED]',
      'a1b2c3d4e5',
    ]);
  });

  it('takes out a key by itself, and a known value where its name says so too', () => {
    expect(redactDeep({ 'known-value-1': 'ordinary', b: 1 }, redact)).toEqual({ '[redacted]': 'ordinary', b: 1 });
    expect(redactDeep({ api_key: 'known-value-1', n: null, no: undefined }, redact)).toEqual({
      ...{ api_key: '[redacted]', n: null, no: undefined },
    });
  });

  it('looks at whole numbers that are long enough for a secret, and at no others', () => {
    const numbers = redactionOf(['10000000', '9999999', '-20000000', '31415926.5']);
    expect(redactDeep([10_000_000, 9_999_999, -20_000_000, 31_415_926.5, 30_000_000], numbers)).toEqual([
      ...['[redacted]', 9_999_999, '[redacted]', 31_415_926.5, 30_000_000],
    ]);
  });

  it("does not look at the program's own words", () => {
    const words = ownWords({ hint: 'known-value-1' });
    expect(redactDeep([words], redact)[0]).toBe(words);
  });

  it('numbers keys that have become one', () => {
    const three = redactionOf(['known-value-1', 'known-value-2', 'known-value-3']);
    const value = { 'known-value-1': 1, 'known-value-2': 2, 'known-value-3': 3 };
    expect(redactDeep(value, three)).toEqual({ '[redacted]': 1, '[redacted] 2': 2, '[redacted] 3': 3 });
  });

  it('loses no field when two keys are secret', () => {
    const value = { 'known-value-1': 1, a: 2, '314159265358': 3, __proto__x: 4 };
    expect(Object.values(redactDeep(value, redact)).sort()).toEqual([1, 2, 3, 4]);
  });

  it('ends at a depth that could not be written', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}"known-value-1"${']'.repeat(50_000)}`) as unknown;
    expect(JSON.stringify(redactDeep(deep, redact))).toContain('(nested deeper than 200 levels)');
    const objects = JSON.parse(`${'{"a":'.repeat(5_000)}"known-value-1"${'}'.repeat(5_000)}`) as unknown;
    expect(JSON.stringify(redactDeep(objects, redact))).toContain('(nested deeper than 200 levels)');
  });
});
