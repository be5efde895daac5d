import { filteredRows, type Rows, sumOfRows } from '../rows.ts';
import { seededRandom } from '../seeded-random.ts';
import { studentQuantile, studentTwoSided } from './distributions.ts';
import type { Interval } from './pass-rate.ts';
import { logBinomial } from './sign-test.ts';
import { meanOf, varianceOf } from './spread.ts';

/** The trials of one case on both sides. */
export interface TrialsOfCase {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** How two sides differ on exactly these cases. */
export interface TrialDifference {
  /** The mean over the cases of mean B less mean A. */
  readonly difference: number;
  /** Two-sided; 1 where all trials are alike. */
  readonly pValue: number;
  /** Undefined where so few trials cannot exclude anything. */
  readonly interval: Interval | undefined;
}

const seed = 20_261_115;
const mostPermutations = 4_000;
const fewestPermutations = 400;
/** From so many trials on their mean is as good as normal. */
const many = 5_000;
const drawsInAll = 250_000;
/** Permutations that must lie beyond the level to place it. */
const fewestBeyond = 10;
/** Sums that differ by less are the same sum, added up in another order. */
const rounding = 1e-9;

/**
 * Tests whether it matters on which side a trial of a case is, by permuting the trials of each case. The interval
 * holds every shift between the sides that the same test does not exclude, so the two cannot contradict each other.
 */
export function permuteTrials(cases: Rows<TrialsOfCase>, level = 0.05): TrialDifference | undefined {
  const usable = triedOnBoth(cases);
  if (usable.length === 0) return undefined;
  const difference = sumOfRows(usable, ({ a, b }) => meanOf(b) - meanOf(a)) / usable.length;
  const trials = sumOfRows(usable, ({ a, b }) => a.length + b.length);
  const rounds = Math.max(fewestPermutations, Math.min(mostPermutations, Math.floor(drawsInAll / trials)));
  // So few permutations cannot show how rare something is that is so rare.
  if (trials >= many || level * rounds < fewestBeyond) return byStudent(usable, difference, level);
  const { cases: ordered, isSwapped, isSymmetric } = inOrder([...usable]);
  const observed = isSwapped ? -difference : difference;
  const permutations = permuted(ordered, observed, rounds);
  const pValue = permutations.pValueAt(0);
  const interval = permutations.interval(level, pValue);
  if (isSymmetric) return { difference, pValue, interval: interval && symmetric(interval) };
  return { difference, pValue, interval: interval && isSwapped ? mirrored(interval) : interval };
}

/** Those that have trials on both sides. */
export function triedOnBoth<Case extends TrialsOfCase>(cases: Rows<Case>): Rows<Case> {
  return filteredRows(cases, ({ a, b }) => a.length > 0 && b.length > 0);
}

/** Differences of the dealt-out sides, and how much of a shift between the sides each deal keeps. */
class Permutations {
  readonly #observed: number;
  readonly #differences: Float64Array;
  readonly #kept: Float64Array;
  readonly #scale: number;

  constructor(observed: number, differences: Float64Array, kept: Float64Array) {
    this.#observed = observed;
    this.#differences = differences;
    this.#kept = kept;
    this.#scale = differences.reduce((largest, each) => Math.max(largest, Math.abs(each)), Math.abs(observed));
  }

  /** How often a deal differs as much as what was seen, once a shift is taken away from B. */
  pValueAt(shift: number): number {
    const observed = Math.abs(this.#observed - shift) - rounding * (this.#scale + Math.abs(shift));
    let asFar = 1;
    for (let index = 0; index < this.#differences.length; index++) {
      const dealt = (this.#differences[index] ?? 0) - shift * (this.#kept[index] ?? 0);
      if (Math.abs(dealt) >= observed) asFar++;
    }
    return asFar / (this.#differences.length + 1);
  }

  interval(level: number, pValue: number): Interval | undefined {
    const reach = 4 * this.#scale;
    const isExcluded = pValue <= level;
    // Where no difference at all is excluded, the interval must end before it, and else behind it.
    const isBelow = this.#observed >= 0;
    const low = this.#end(level, this.#observed - reach, isBelow ? { at: 0, isExcluded } : undefined);
    const high = this.#end(level, this.#observed + reach, isBelow ? undefined : { at: 0, isExcluded });
    return low === undefined || high === undefined ? undefined : { low, high };
  }

  #end(level: number, far: number, known: { at: number; isExcluded: boolean } | undefined): number | undefined {
    let outside = known?.isExcluded ? known.at : far;
    let inside = known && !known.isExcluded ? known.at : this.#observed;
    if (outside !== known?.at && this.pValueAt(outside) > level) return undefined;
    for (let step = 0; step < 40; step++) {
      const middle = (inside + outside) / 2;
      if (this.pValueAt(middle) > level) inside = middle;
      else outside = middle;
    }
    return outside;
  }
}

function permuted(cases: readonly TrialsOfCase[], difference: number, rounds: number): Permutations {
  const random = seededRandom(seed);
  const differences = new Float64Array(rounds);
  const kept = new Float64Array(rounds);
  for (const { a, b } of cases) {
    const values = Float64Array.from([...a, ...b]);
    const isOfB = Uint8Array.from(values, (_, index) => (index < a.length ? 0 : 1));
    const total = values.reduce((sum, value) => sum + value, 0);
    for (let round = 0; round < rounds; round++) {
      let [sum, ofB] = [0, 0];
      // The first places of a shuffle that goes no farther than they reach are those dealt to B.
      for (let place = 0; place < b.length; place++) {
        const drawn = place + Math.floor(random() * (values.length - place));
        swap(values, place, drawn);
        swap(isOfB, place, drawn);
        sum += values[place] ?? 0;
        ofB += isOfB[place] ?? 0;
      }
      differences[round] = (differences[round] ?? 0) + (sum / b.length - (total - sum) / a.length) / cases.length;
      kept[round] = (kept[round] ?? 0) + (ofB / b.length - (b.length - ofB) / a.length) / cases.length;
    }
  }
  return new Permutations(difference, differences, kept);
}

/**
 * By the variance of the trials within each case; single trials show none, so the difference stands for it. Trials that happen to
 * be alike are not more certain than all permutations of so many can be.
 */
function byStudent(cases: Rows<TrialsOfCase>, difference: number, level: number): TrialDifference {
  const variance = sumOfRows(cases, varianceWithin);
  const freedom = sumOfRows(cases, ({ a, b }) => Math.max(1, a.length + b.length - 2));
  const error = Math.sqrt(variance) / cases.length;
  const tail = error === 0 ? Number(difference === 0) : studentTwoSided(difference / error, freedom);
  const pValue = Math.max(tail, rarestDeal(cases));
  const half = studentQuantile(1 - level, freedom) * error;
  const [low, high] = [difference - half, difference + half];
  const interval = pValue <= level ? { low, high } : { low: Math.min(0, low), high: Math.max(0, high) };
  return { difference, pValue, interval };
}

/** The chance of one deal among all, on either side. */
function rarestDeal(cases: Rows<TrialsOfCase>): number {
  return Math.min(1, 2 * Math.exp(-sumOfRows(cases, ({ a, b }) => logBinomial(a.length + b.length, a.length))));
}

function varianceWithin({ a, b }: TrialsOfCase): number {
  if (a.length < 2 || b.length < 2) return (meanOf(b) - meanOf(a)) ** 2;
  return varianceOf(a) / a.length + varianceOf(b) / b.length;
}

/**
 * Cases and trials in an order that follows from the values alone, with the sides that come first in it: the same permutations for A
 * against B as for B against A, and in whatever order the trials are read.
 */
function inOrder(cases: readonly TrialsOfCase[]) {
  const sorted = cases.map(({ a, b }) => ({ a: a.toSorted(ascending), b: b.toSorted(ascending) }));
  const kept = sorted.toSorted(compareCases);
  const swapped = sorted.map(({ a, b }) => ({ a: b, b: a })).sort(compareCases);
  const order = firstUnlike(kept, swapped, compareCases);
  return { cases: order > 0 ? swapped : kept, isSwapped: order > 0, isSymmetric: order === 0 };
}

function ascending(one: number, other: number): number {
  return one - other;
}

function compareCases(one: TrialsOfCase, other: TrialsOfCase): number {
  return firstUnlike(one.a, other.a, ascending) || firstUnlike(one.b, other.b, ascending);
}

/** How the first items that are unlike compare, the shorter list first; 0 where there are none. */
function firstUnlike<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (a: Item, b: Item) => number,
): number {
  if (one.length !== other.length) return one.length - other.length;
  for (const [index, item] of one.entries()) {
    const order = compare(item, other[index] ?? item);
    if (order !== 0) return order;
  }
  return 0;
}

function mirrored({ low, high }: Interval): Interval {
  return { low: -high, high: -low };
}

/** Of sides that are each other's mirror image. */
function symmetric({ low, high }: Interval): Interval {
  const half = Math.max(-low, high);
  return { low: -half, high: half };
}

function swap(values: Float64Array | Uint8Array, first: number, second: number): void {
  const kept = values[first] ?? 0;
  values[first] = values[second] ?? 0;
  values[second] = kept;
}
