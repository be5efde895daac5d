import { seededRandom } from '../seeded-random.ts';
import type { Interval } from './pass-rate.ts';

/** How far two ratings differ: by being different, by their ranks, or by their distance. */
export type RatingScale = 'nominal' | 'ordinal' | 'interval';

/** Agreement of any number of raters beyond chance, 1 for raters who always agree and 0 for chance. */
export interface Alpha {
  readonly alpha: number;
  /** 95 %, by resampling the rated units. */
  readonly interval: Interval;
  /** Units with at least two ratings; the others say nothing about agreement. */
  readonly units: number;
  /** Their ratings. */
  readonly ratings: number;
}

/** Ratings of one unit, in any order; raters may have left it out. */
export type Ratings = readonly number[];

const mostDraws = 1_000;
/** Keeps large runs fast: with so many units the interval is narrow whatever the number of draws is. */
const mostDrawnUnits = 2_000_000;
const fewestDraws = 100;
const tail = 0.025;
const seed = 20_261_116;

/**
 * Krippendorff's alpha (2011) for any number of raters, with missing ratings. Undefined where no unit was rated twice,
 * or where all ratings are the same, because then chance explains everything.
 */
export function krippendorffAlpha(units: readonly Ratings[], scale: RatingScale): Alpha | undefined {
  const rated = units.filter(({ length }) => length >= 2);
  const values = [...new Set(rated.flat())].sort((a, b) => a - b);
  if (values.length < 2) return undefined;
  const ranks = new Map(values.map((value, rank) => [value, rank]));
  const counted = rated.map((ratings) => countsOf(ratings, ranks));
  const alpha = alphaOf(counted, values, scale);
  if (alpha === undefined) return undefined;
  const ratings = rated.reduce((sum, { length }) => sum + length, 0);
  return { alpha, interval: intervalOf(counted, values, scale, alpha), units: rated.length, ratings };
}

/** How often each value, by its rank, was given to a unit. */
type Counts = readonly (readonly [rank: number, count: number])[];

function countsOf(ratings: Ratings, ranks: ReadonlyMap<number, number>): Counts {
  const counts = new Map<number, number>();
  for (const rating of ratings) {
    const rank = ranks.get(rating) ?? 0;
    counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  return [...counts];
}

function alphaOf(units: readonly Counts[], values: readonly number[], scale: RatingScale): number | undefined {
  const totals = values.map(() => 0);
  for (const counts of units) for (const [rank, count] of counts) totals[rank] = (totals[rank] ?? 0) + count;
  const ratings = totals.reduce((sum, count) => sum + count, 0);
  const differenceOf = differences(values, totals, scale);
  let observed = 0;
  for (const counts of units) {
    const size = counts.reduce((sum, [, count]) => sum + count, 0);
    observed += disagreement(counts, differenceOf) / (size - 1);
  }
  const expected = disagreement([...totals.entries()], differenceOf) / (ratings - 1);
  return expected === 0 ? undefined : 1 - observed / expected;
}

/** The differences of all pairs of ratings, each pair in both orders. */
function disagreement(counts: Counts, differenceOf: (a: number, b: number) => number): number {
  let sum = 0;
  for (const [a, countA] of counts) {
    for (const [b, countB] of counts) if (a < b) sum += 2 * countA * countB * differenceOf(a, b);
  }
  return sum;
}

function differences(values: readonly number[], totals: readonly number[], scale: RatingScale) {
  if (scale === 'nominal') return () => 1;
  if (scale === 'interval') return (a: number, b: number): number => ((values[a] ?? 0) - (values[b] ?? 0)) ** 2;
  // Ratings up to the middle of each rank.
  let below = 0;
  const middles = totals.map((count) => {
    const middle = below + count / 2;
    below += count;
    return middle;
  });
  return (a: number, b: number): number => ((middles[a] ?? 0) - (middles[b] ?? 0)) ** 2;
}

function intervalOf(units: readonly Counts[], values: readonly number[], scale: RatingScale, alpha: number): Interval {
  if (alpha === 1) return { low: withOneDisagreement(units, values, scale), high: 1 };
  const random = seededRandom(seed);
  const draws = Math.max(fewestDraws, Math.min(mostDraws, Math.floor(mostDrawnUnits / units.length)));
  const found = Array.from({ length: draws }, () => {
    const drawn = units.map(() => units[Math.floor(random() * units.length)] ?? []);
    // A draw of equal ratings throughout has nothing to disagree about.
    return alphaOf(drawn, values, scale) ?? 1;
  }).sort((a, b) => a - b);
  const low = found[Math.floor(tail * draws)] ?? alpha;
  const high = found[Math.ceil((1 - tail) * draws) - 1] ?? alpha;
  return { low: Math.min(low, alpha), high: Math.max(high, alpha) };
}

/** Resampling units that all agree gives a point; the next unit may be one that raters disagree about. */
function withOneDisagreement(units: readonly Counts[], values: readonly number[], scale: RatingScale): number {
  const disputed: Counts = [
    [0, 1],
    [values.length - 1, 1],
  ];
  return alphaOf([...units, disputed], values, scale) ?? 1;
}
