import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import { krippendorffAlpha, type RatingScale } from './krippendorff-alpha.ts';

/** Units from the rows of raters; `.` is a missing rating. */
function unitsOf(...raters: readonly string[]): number[][] {
  const rows = raters.map((row) => row.split(' '));
  return (rows[0] ?? []).map((_, unit) =>
    rows.flatMap((row) => (row[unit] === '.' || row[unit] === undefined ? [] : [Number(row[unit])])),
  );
}

/** K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections A to D. */
const twoObservers = unitsOf('0 1 0 0 0 0 0 0 1 0', '1 1 1 0 0 1 0 0 0 0');
const letters = unitsOf('1 1 2 2 4 3 3 3 5 4 4 1', '2 1 2 2 2 3 3 3 5 4 4 4');
const fourObservers = unitsOf(
  '1 2 3 3 2 1 4 1 2 . . .',
  '1 2 3 3 2 2 4 1 2 5 . 3',
  '. 3 3 3 2 3 4 2 2 5 1 .',
  '1 2 3 3 2 4 4 1 2 5 1 .',
);
/** The worked example of Wikipedia, "Krippendorff's alpha". */
const threeCoders = unitsOf(
  '. . . . . 3 4 1 2 1 1 3 3 . 3',
  '1 . 2 1 3 3 4 3 . . . . . . .',
  '. . 2 1 3 4 4 . 2 1 1 3 3 . 4',
);

describe('krippendorffAlpha', () => {
  it.each<[string, number[][], RatingScale, string]>([
    ['two observers, binary', twoObservers, 'nominal', '0.095'],
    ['two observers, nominal', letters, 'nominal', '0.692'],
    ['four observers, nominal', fourObservers, 'nominal', '0.743'],
    ['four observers, ordinal', fourObservers, 'ordinal', '0.815'],
    ['four observers, interval', fourObservers, 'interval', '0.849'],
    ['three coders, nominal', threeCoders, 'nominal', '0.691'],
    ['three coders, interval', threeCoders, 'interval', '0.811'],
  ])('gives the published figure for %s', (_, units, scale, published) => {
    const found = krippendorffAlpha(units, scale);
    expect(found?.alpha.toFixed(3)).toBe(published);
    expect(found?.interval.low).toBeLessThan(found?.alpha ?? 0);
    expect(found?.interval.high).toBeGreaterThan(found?.alpha ?? 1);
  });

  it('counts only units that were rated twice', () => {
    expect(krippendorffAlpha(fourObservers, 'nominal')).toMatchObject({ units: 11, ratings: 40 });
    expect(krippendorffAlpha([...fourObservers, [9], []], 'nominal')).toEqual(
      krippendorffAlpha(fourObservers, 'nominal'),
    );
  });

  it('says nothing where nothing was rated twice, or where all ratings are the same', () => {
    expect(krippendorffAlpha([[1], [0], []], 'nominal')).toBeUndefined();
    expect(
      krippendorffAlpha(
        [
          [1, 1],
          [1, 1, 1],
        ],
        'interval',
      ),
    ).toBeUndefined();
  });

  it('is 1 for raters who always agree, without taking a few units for proof', () => {
    const found = krippendorffAlpha(
      Array.from({ length: 20 }, (_, unit) => [unit % 2, unit % 2]),
      'nominal',
    );
    expect(found).toMatchObject({ alpha: 1, interval: { high: 1 } });
    expect(found?.interval.low).toBeGreaterThan(0.8);
    expect(found?.interval.low).toBeLessThan(0.95);
  });

  it('has intervals that hold the true value about as often as they should', () => {
    const random = seededRandom(5);
    // Each of two raters sees the truth and errs with a chance of 0.2: alpha is (1 - 2 * 0.2) ** 2.
    const rating = (truth: number): number => (random() < 0.2 ? 1 - truth : truth);
    let held = 0;
    const tries = 25;
    for (let attempt = 0; attempt < tries; attempt++) {
      const units = Array.from({ length: 60 }, () => (random() < 0.5 ? 0 : 1)).map((truth) => [
        rating(truth),
        rating(truth),
      ]);
      const interval = krippendorffAlpha(units, 'nominal')?.interval;
      if (interval && interval.low <= 0.36 && interval.high >= 0.36) held++;
    }
    expect(held).toBeGreaterThanOrEqual(21);
  });
});
