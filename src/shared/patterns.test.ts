import { describe, expect, it } from 'vitest';
import { compileTextPattern, problemOfPattern } from './patterns.ts';

describe('compileTextPattern', () => {
  it.each([
    ['b+', 'abbc', true],
    ['^b', 'abc', false],
    ['^b', 'a\nb', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['(?i)HELLO', 'hello', true],
    ['(?P<year>\\d{4})', 'in 2031', true],
    ['[[:digit:]]+\\z', 'a1', true],
    ['caf\\u00e9|\\u{1F600}', 'café', true],
    ['\\\\u00e9', 'é', false],
    ['', '', true],
  ])('reads %j as users of RE2 and Rust do', (pattern, text, occurs) => {
    expect(compileTextPattern(pattern).occursIn(text)).toBe(occurs);
  });

  it('distinguishes a whole match from a part', () => {
    expect(compileTextPattern('a|ab').isAllOf('ab')).toBe(true);
    expect(compileTextPattern('a').isAllOf('ab')).toBe(false);
  });

  it.each(['(', '[', 'a**', '(?=a)', '(a)\\1', 'a{1001}', '('.repeat(5_000), '\\'])(
    'says why it cannot use %.20s',
    (pattern) => {
      expect(problemOfPattern(pattern)).toMatch(/./);
    },
  );

  it('matches patterns that explode elsewhere', () => {
    const text = `${'a'.repeat(1_000_000)}!`;
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*a){30}$', '^(([a-z])+.)+[A-Z]$']) {
      expect(compileTextPattern(pattern).occursIn(text)).toBe(false);
    }
  });

  it('refuses a text that would take too long with a large pattern', () => {
    const pattern = compileTextPattern('(?:.{1,40}\\b){1,20}\\n$');
    expect(() => pattern.occursIn('a b'.repeat(1_000_000))).toThrow('it is too large for a text of 3000000 characters');
  });
});
