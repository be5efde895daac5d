import { NumberColumn } from '../number-column.ts';
import type { Rows } from '../rows.ts';
import { effectiveCount, meanDifference, type SampledUnits, unseenShare } from './mean-difference.ts';
import type { Interval, UnitKey } from './pass-rate.ts';
import { meanOf } from './spread.ts';

/** The figures of one case under one variant: each repeat under A, and each under B. */
export interface PairedCase {
  /**
   * The sampled unit, which stands for others like it: the case, or the scenario where there are several with cases of
   * their own. Cases of one unit are not independent of each other.
   */
  readonly unit: UnitKey;
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** How two sides compare; `B` is the newer one. */
export interface PairedComparison {
  readonly pairs: number;
  readonly units: number;
  /** Units that differ; the others say nothing about which side is better. */
  readonly informative: number;
  readonly meanA: number;
  readonly meanB: number;
  readonly difference: number;
  /** Undefined with fewer than two units. */
  readonly interval: Interval | undefined;
  /** Two-sided, of the same method as the interval. */
  readonly pValue: number;
}

export interface PairedOptions {
  /** The largest difference that a case can have, such as 1 for a share of passes; undefined where there is none. */
  readonly largestDifference?: number | undefined;
  /** How often chance may exclude 0 from the interval: 0.05, or less where several pairs of sides are looked at. */
  readonly level?: number | undefined;
  /** The shares of trials without a value on each side: what is missing may be unlike the rest. */
  readonly missing?: { readonly a: number; readonly b: number } | undefined;
  /** A difference up to this is none; by default what rounding leaves of the figures. */
  readonly tolerance?: number | undefined;
}

/** Rare trials of an unbounded figure are taken to be at most so many times as large as usual ones. */
export const rareFactor = 20;
/** A difference of less than this share of the figures is what rounding leaves. */
const roundingTolerance = 1e-6;

/** Compares by what was sampled, because that differs more than repeats do. Undefined without a single pair. */
export function comparePairs(cases: Rows<PairedCase>, options: PairedOptions = {}): PairedComparison | undefined {
  const { pairs, meanA, meanB, units } = unitsOf(cases, options.tolerance);
  if (pairs === 0) return undefined;
  const bound = options.largestDifference;
  const largest = bound ?? rareFactor * Math.max(Math.abs(meanA), Math.abs(meanB));
  const found = meanDifference(units, largest, options.level);
  const padding = missingPadding(options, meanA, meanB);
  const rare = bound === undefined ? rarePadding(units, meanA, meanB) : { below: 0, above: 0 };
  const interval = found.interval && {
    low: found.interval.low - padding.below - rare.below,
    high: found.interval.high + padding.above + rare.above,
  };
  return {
    pairs,
    units: units.differences.length,
    ...found,
    meanA,
    meanB,
    // A ratio beyond what is usual was seen, so it is possible.
    interval:
      interval && bound !== undefined ? bounded(interval, Math.max(bound, Math.abs(found.difference))) : interval,
  };
}

/** How far below and above what was seen the truth may lie for a reason that the sample cannot show. */
interface Padding {
  readonly below: number;
  readonly above: number;
}

/**
 * Trials are not lost at random, on either side: all that a side lost may have been the lowest that can be, or the
 * highest.
 */
export function missingPadding({ missing, largestDifference }: PairedOptions, meanA: number, meanB: number): Padding {
  if (!missing) return { below: 0, above: 0 };
  const [ofA, ofB] = [paddingAround(meanA, largestDifference), paddingAround(meanB, largestDifference)];
  return {
    below: missing.b * ofB.below + missing.a * ofA.above,
    above: missing.b * ofB.above + missing.a * ofA.below,
  };
}

/** How far one value may lie from the mean of its side. */
function paddingAround(mean: number, largestDifference: number | undefined): Padding {
  if (largestDifference === 1) return { below: mean, above: 1 - mean };
  if (largestDifference !== undefined) return { below: largestDifference, above: largestDifference };
  return { below: Math.abs(mean), above: (rareFactor - 1) * Math.abs(mean) };
}

interface PairedUnits {
  readonly pairs: number;
  readonly meanA: number;
  readonly meanB: number;
  readonly units: SampledUnits;
}

/** Numbers of units in the order in which they come. Those that are numbers already need no map. */
class UnitPlaces {
  readonly #named = new Map<UnitKey, number>();
  readonly #numbered: NumberColumn;
  #count = 0;

  /** For about so many units. */
  constructor(size: number) {
    this.#numbered = NumberColumn.ofSize(size + 1);
  }

  get count(): number {
    return this.#count;
  }

  of(unit: UnitKey): number {
    const existing = typeof unit === 'number' ? this.#numbered.at(unit) - 1 : (this.#named.get(unit) ?? -1);
    if (existing >= 0) return existing;
    const place = this.#count++;
    if (typeof unit === 'number') this.#numbered.set(unit, place + 1);
    else this.#named.set(unit, place);
    return place;
  }
}

/** The mean difference of each unit, in the order in which they come; each counts as often as it has cases. */
function unitsOf(cases: Rows<PairedCase>, tolerance: number | undefined): PairedUnits {
  const places = new UnitPlaces(cases.length);
  const [sums, weights] = [new Float64Array(cases.length), new Float64Array(cases.length)];
  let [pairs, sumA, sumB] = [0, 0, 0];
  for (const { unit, a, b } of cases) {
    if (a.length === 0 || b.length === 0) continue;
    const [ofA, ofB] = [meanOf(a), meanOf(b)];
    pairs++;
    sumA += ofA;
    sumB += ofB;
    const place = places.of(unit);
    sums[place] = (sums[place] ?? 0) + withoutRounding(ofA, ofB, tolerance);
    weights[place] = (weights[place] ?? 0) + 1;
  }
  const { count } = places;
  for (let place = 0; place < count; place++) sums[place] = (sums[place] ?? 0) / (weights[place] ?? 1);
  const units = { differences: sums.subarray(0, count), weights: weights.subarray(0, count) };
  return { pairs, meanA: sumA / pairs, meanB: sumB / pairs, units };
}

/**
 * The mean of a figure without a bound hangs on rare trials that so few may not have shown. The interval leaves room for
 * as many of them as can have been missed.
 */
function rarePadding({ weights }: SampledUnits, meanA: number, meanB: number): Padding {
  const unseen = unseenShare(effectiveCount(weights)) * (rareFactor - 1);
  return { below: unseen * Math.abs(meanA), above: unseen * Math.abs(meanB) };
}

function withoutRounding(
  a: number,
  b: number,
  tolerance = (roundingTolerance * (Math.abs(a) + Math.abs(b))) / 2,
): number {
  return Math.abs(b - a) <= tolerance ? 0 : b - a;
}

function bounded(interval: Interval, largest: number): Interval {
  return { low: Math.max(-largest, interval.low), high: Math.min(largest, interval.high) };
}
