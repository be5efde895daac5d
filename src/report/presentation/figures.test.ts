import { describe, expect, it } from 'vitest';
import { costText } from '../../shared/format.ts';
import { diffLines } from './diff-text.ts';
import { figureText, percentText } from './figures.ts';
import { plainOutput } from './trial-text.ts';

describe('figures in words', () => {
  it.each([
    [0, '0 %'],
    [1, '100 %'],
    [0.5, '50 %'],
    [2 / 3, '67 %'],
    [0.9999, '> 99.9 %'],
    [0.996, '99.6 %'],
    [0.0001, '< 0.1 %'],
  ])('%d is %s', (share, text) => {
    expect(percentText(share)).toBe(text);
  });

  it('have as many digits as are needed', () => {
    expect([0, 0.000012, 0.0123, 0.1, 1234.5].map(costText)).toEqual([
      '$0',
      '$0.00001',
      '$0.0123',
      '$0.10',
      '$1,234.50',
    ]);
    expect([3, 1234, 0.123456, Number.NaN].map(figureText)).toEqual(['3', '1,234', '0.1235', 'not a number']);
  });
});

describe('texts of programs', () => {
  it('lose what steers a terminal and keep their lines', () => {
    expect(plainOutput('\u001B[31mred\u001B[0m\n\u001B]0;title\u0007two\u0000\tthree')).toBe('red\ntwo\uFFFD\tthree');
  });

  it('say what a diff adds and takes away', () => {
    expect(diffLines('--- a\n+++ b\n@@ -1 +1 @@\n same\n-old\n+new\n').map(({ kind }) => kind)).toEqual([
      'place',
      'same',
      'removed',
      'added',
    ]);
    expect(diffLines('')).toEqual([{ kind: 'same', text: '' }]);
  });
});
