import { describe, expect, it } from 'vitest';
import { createRun, defaultLimits } from '../budget.ts';
import { compilePattern, findMatches } from './pattern.ts';

const texts = [
  ...[
    '',
    'abc',
    'Error: 42 rows\nDone.',
    'a.b,c;d',
    'x\u00a0y\u3000z',
    '[alpha]:',
    'AQE zZ pL',
    '\u0008\u0001\u0000 k\\',
  ],
  ...[
    'naïve café',
    'tab\there',
    'u{61}',
    '((nested) parens)',
    'aaa bbb aab',
    '   trim me ',
    '5% of $100 ^_^',
    '{a}{1,2}',
  ],
  ...['2024-01-31T10:00', 'first\nsecond\n'],
];

describe('compilePattern', () => {
  it.each([
    ['\\d+', 'g'],
    ['^\\w+$', 'm'],
    ['.', 'g'],
    ['.', 'gs'],
    ['[^]', 'g'],
    ['[]', 'g'],
    ['\\s', 'g'],
    ['\\S+', 'g'],
    ['[\\s,;]+', 'g'],
    ['[^\\s]', 'g'],
    ['[\\S]', 'g'],
    ['[[:a]+', 'g'],
    ['\\Q|\\A|\\z|\\E', 'g'],
    ['\\pL', 'g'],
    ['[\\b]|\\cA|\\0', 'g'],
    ['\\u00a0|\\x41', 'g'],
    ['(?<year>\\d{4})-(\\d\\d)?', 'g'],
    ['(a)|(b)', 'g'],
    ['a*?b', 'g'],
    ['(?:a|b)+', 'g'],
    ['\\bx|e\\b', 'g'],
    ['\\B.', 'g'],
    ['^|$', 'g'],
    ['\\/', 'g'],
    ['[\\]\\-\\\\^]', 'g'],
    ['{a}', 'g'],
    ['\\{1,2\\}', 'g'],
    ['a{2}', 'g'],
    ['a{2,}', 'g'],
    ['[a-z]{1,3}?', 'gi'],
    ['ERROR', 'i'],
    ['é', 'gi'],
    ['\\$\\d+|\\^_\\^', 'g'],
    ['x*', 'g'],
    ['\\p{L}+', 'gu'],
    ['\\p{Lu}', 'gu'],
    ['\\P{L}', 'gu'],
    ['\\p{Script=Latin}+', 'gu'],
    ['\\u{61}', 'gu'],
    ['\\ud83d\\ude00', 'gu'],
  ])('finds what JavaScript finds with /%s/%s', (body, flags) => {
    const pattern = compilePattern(body, flags);
    const native = new RegExp(body, flags.includes('g') ? flags : `${flags}g`);
    for (const text of texts) {
      const found = findMatches(pattern, text, true, createRun(0, defaultLimits));
      const expected = [...text.matchAll(native)].map((match) => [match.index, ...match]);
      expect(found.map(({ start, texts: groups }) => [start, ...groups])).toEqual(expected);
    }
  });

  it('ends a line at characters that JavaScript calls line ends', () => {
    const pattern = compilePattern('.+', 'g');
    const found = findMatches(pattern, 'a\r\nb\u2028c', true, createRun(0, defaultLimits));
    expect(found.map(({ texts: [whole] }) => whole)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['\\s+|,', false],
    ['x.*y', false],
    ['(?:x.*y)|x', true],
    ['x(?:.*y)?', true],
    ['(?:a+|b)+', false],
  ])('knows whether finding all of /%s/ may scan the text again and again', (body, rescans) => {
    expect(compilePattern(body, 'g').rescans).toBe(rescans);
  });

  it('shows the pattern as it was written', () => {
    expect(compilePattern('a\\/b', 'gi')).toMatchObject({ source: '/a\\/b/gi', global: true });
  });

  it.each([
    ['(?=a)', '', 'look-around is not part of the criteria language'],
    ['\\k<a>(?<a>b)', '', 'a back-reference is not part of the criteria language'],
    ['\\u{61}', '', '`\\u{…}` needs the `u` flag'],
    ['a', 'v', 'the regular expression flag `v` is not part of the criteria language'],
    ['\\p{Nonsense}', 'u', 'the regular expression cannot be used: '],
  ])('refuses /%s/%s', (body, flags, message) => {
    expect(() => compilePattern(body, flags)).toThrow(message);
  });
});
