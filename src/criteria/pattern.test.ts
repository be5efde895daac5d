import { describe, expect, it } from 'vitest';
import { createRun, defaultLimits } from './budget.ts';
import { compilePattern, findMatches } from './pattern.ts';

const texts = [
  ...[
    '',
    'abc',
    'Error: 42 rows\nDone.',
    'a.b,c;d',
    'x\u00a0y\u2028z',
    '[alpha]:',
    'AQE zZ pL',
    '\u0008\u0001\u0000 k\\',
    '2024-01-31T10:00',
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
];

describe('compilePattern', () => {
  it.each([
    ...[/\d+/g, /^\w+$/m, /./g, /./gs, /[^]/g, /\s/g, /\S+/g, /[\s,;]+/g, /[^\s]/g, /[\S]/g, /[[:a]+/g, /Q|A|z|E/g],
    ...[
      /pL/g,
      /[\b]|\cA|\0/g,
      /\u00a0|\x41/g,
      /(?<year>\d{4})-(\d\d)?/g,
      /(a)|(b)/g,
      /a*?b/g,
      /(?:a|b)+/g,
      /\bx|e\b/g,
      /\B./g,
    ],
    ...[
      /^|$/g,
      /\//g,
      /[\]\-\\^]/g,
      /{a}/g,
      /\{1,2\}/g,
      /a{2}/g,
      /a{2,}/g,
      /[a-z]{1,3}?/gi,
      /ERROR/i,
      /é/gi,
      /\$\d+|\^_\^/g,
      /x*/g,
    ],
    ...[/\p{L}+/gu, /\p{Lu}/gu, /\P{L}/gu, /\p{Script=Latin}+/gu, /\u{61}/gu],
  ])('finds what JavaScript finds with %s', (expression) => {
    const pattern = compilePattern(expression.source, expression.flags);
    for (const text of texts) {
      const found = findMatches(pattern, text, true, createRun(0, defaultLimits));
      const expected = [
        ...text.matchAll(
          new RegExp(expression, expression.flags.includes('g') ? expression.flags : `${expression.flags}g`),
        ),
      ];
      expect(found.map(({ start, texts: groups }) => [start, ...groups])).toEqual(
        expected.map((match) => [match.index, ...match]),
      );
    }
  });

  it('shows the pattern as it was written', () => {
    expect(compilePattern('a\\/b', 'gi')).toMatchObject({ source: '/a\\/b/gi', global: true });
  });

  it.each([
    ['(?=a)', '', 'look-around is not part of the criteria language'],
    ['\\k<a>(?<a>b)', '', 'a back-reference is not part of the criteria language'],
    ['\\u{61}', '', '`\\u{…}` needs the `u` flag'],
    ['a', 'v', 'the regular expression flag `v` is not part of the criteria language'],
    ['\\p{Emoji}', 'u', 'the regular expression cannot be used: invalid character class range: `\\p{Emoji}`'],
  ])('refuses /%s/%s', (body, flags, message) => {
    expect(() => compilePattern(body, flags)).toThrow(message);
  });
});
