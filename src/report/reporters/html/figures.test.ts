import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../presentation/diff-text.ts';
import { costText, figureText, percentText, timeText } from '../../presentation/figures.ts';
import { plainOutput } from '../../presentation/trial-text.ts';
import { histogram, quantile, trialGroups } from './chart-data.ts';
import { withShortTexts } from './detail-chunks.ts';
import { unpackRows } from './trial-row.ts';

describe('histograms', () => {
  it('count every usable value once, in columns that touch each other', () => {
    const values = fc.array(fc.oneof(fc.double({ min: 0, max: 1e9 }), fc.constant(Number.NaN), fc.constant(0)));
    fc.assert(
      fc.property(values, (all) => {
        const bins = histogram(all);
        const usable = all.filter((value) => Number.isFinite(value));
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(usable.length);
        for (const [index, bin] of bins.slice(1).entries()) expect(bin.low).toBe(bins[index]?.high);
        if (usable.length > 0) expect(bins.at(-1)?.high).toBeCloseTo(Math.max(...usable), 3);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('have no columns without values and one for equal values', () => {
    expect(histogram([])).toEqual([]);
    expect(histogram([5, 5, 5])).toEqual([{ low: 5, high: 5, count: 3 }]);
  });
});

describe('groups of rows', () => {
  const rows = unpackRows({
    side: '',
    scenarios: [['A', 'a.yaml']],
    variants: [{}],
    rows: [0, 0, 1, 2, 3].map((outcome, index) => [
      index,
      `t-${index}`,
      0,
      0,
      'task',
      1,
      outcome,
      '',
      '',
      index,
      0.5,
      0,
      0,
      0,
    ]),
  });

  it('are not computed from rows; what was not judged, medians and costs are', () => {
    expect(trialGroups(rows, ({ scenario }) => scenario)).toEqual([
      { name: 'A', unjudged: 2, medianMs: 2, costUsd: 2.5 },
    ]);
    expect(trialGroups([], ({ scenario }) => scenario)).toEqual([]);
    expect(quantile([], 0.5)).toBe(0);
  });
});

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
    expect([0, 0.00001, 0.0123, 0.1, 1234.5].map(costText)).toEqual([
      '$0',
      '< $0.0001',
      '$0.0123',
      '$0.10',
      '$1,234.50',
    ]);
    expect([3, 1234, 0.123456, Number.NaN].map(figureText)).toEqual(['3', '1,234', '0.1235', 'not a number']);
    expect(timeText(0)).toBe('1970-01-01 00:00 UTC');
    expect(timeText(Number.NaN)).toBe('unknown time');
  });
});

describe('texts of programs', () => {
  it('lose what steers a terminal and keep their lines', () => {
    expect(plainOutput('\u001B[31mred\u001B[0m\n\u001B]0;title\u0007two\u0000\tthree')).toBe('red\ntwo\uFFFD\tthree');
  });

  it('are cut in the middle when they are very long, wherever they stand', () => {
    const long = `${'a'.repeat(100_000)}${'z'.repeat(100_000)}`;
    const { kept, nested } = withShortTexts({ kept: 'short', nested: [{ long }] });
    expect(kept).toBe('short');
    expect(nested[0]?.long).toMatch(/^a{32000} … 136000 characters left out … z{32000}$/);
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
