import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTextPattern, isRegularExpression, PatternDefect } from './text-pattern.ts';

describe('compileTextPattern', () => {
  it('takes text as it is, whatever characters it has', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, text, after) => {
        fc.pre(!isRegularExpression(text));
        expect(compileTextPattern(text)(before + text + after)).toEqual([text]);
      }),
      { seed: 11 },
    );
    expect(compileTextPattern('Paris')('paris')).toBeUndefined();
    expect(compileTextPattern('/etc/passwd')('cat /etc/passwd')).toEqual(['/etc/passwd']);
  });

  it.each([
    ['/book.*flight/i', 'Book a FLIGHT'],
    ['/^b$/m', 'a\nb'],
    ['/a.b/s', 'a\nb'],
    ['/^.$/u', '🎉'],
    ['/a\\/b/', 'a/b'],
    ['/(?<city>P\\w+)/', 'to Paris'],
  ])('understands %s', (pattern, text) => {
    expect(compileTextPattern(pattern)(text)).toBeDefined();
  });

  it('gives the whole match and its groups, empty for one that took no part', () => {
    expect(compileTextPattern('/from (\\w+)( via \\w+)? to (\\w+)/')('fly from A to B')).toEqual([
      'from A to B',
      'A',
      '',
      'B',
    ]);
  });

  it('answers at once where backtracking would take for ever', () => {
    expect(compileTextPattern('/^(a+)+$/')(`${'a'.repeat(50_000)}b`)).toBeUndefined();
  });

  it.each([
    ['/(/', 'missing closing )'],
    ['/(a)\\1/', 'the regular expression cannot be used'],
    ['/x/g', 'the flag `g` is not supported'],
  ])('refuses %s', (pattern, reason) => {
    expect(() => compileTextPattern(pattern)).toThrow(PatternDefect);
    expect(() => compileTextPattern(pattern)).toThrow(reason);
  });
});
