import type { Interval } from './interval.ts';
import { pairedInterval } from './paired-interval.ts';
import { permutationTest } from './permutation-test.ts';
import { pairedVariance, planRepeats, type RepeatPlan } from './plan-repeats.ts';
import { fewestInformative } from './sign-test.ts';

/** The figures of one case: each repeat under A, and each under B. */
export interface PairedCase {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** How two sides compare; `B` is the newer one. */
export interface PairedComparison {
  readonly cases: number;
  /** Cases whose means differ; the others say nothing about which side is better. */
  readonly informative: number;
  readonly meanA: number;
  readonly meanB: number;
  readonly difference: number;
  /** 95 %; undefined with fewer than two cases. */
  readonly interval: Interval | undefined;
  /** Two-sided, by flipping signs (mid-p). */
  readonly pValue: number;
  /** What would be needed to see `smallestDifference`. */
  readonly plan: RepeatPlan;
}

export interface PairedOptions {
  /** The smallest difference that somebody would act on. */
  readonly smallestDifference: number;
  /** The largest difference that a case can have, such as 1 for a share of passes; undefined where there is none. */
  readonly largestDifference?: number | undefined;
}

/** Compares by case, because cases differ more from each other than repeats do. Undefined without a single case. */
export function comparePairs(cases: readonly PairedCase[], options: PairedOptions): PairedComparison | undefined {
  const usable = cases.filter(({ a, b }) => a.length > 0 && b.length > 0);
  if (usable.length === 0) return undefined;
  const means = usable.map(({ a, b }) => ({ a: meanOf(a), b: meanOf(b) }));
  const differences = means.map(({ a, b }) => b - a);
  const repeated = usable.map(({ a, b }, index) => ({
    difference: differences[index] ?? 0,
    varianceA: varianceOf(a),
    varianceB: varianceOf(b),
    repeatsA: a.length,
    repeatsB: b.length,
  }));
  const repeats = usable.reduce((fewest, { a, b }) => Math.min(fewest, a.length, b.length), Number.POSITIVE_INFINITY);
  const largest = options.largestDifference ?? largestOf(differences, options.smallestDifference);
  return {
    cases: usable.length,
    informative: differences.filter((difference) => difference !== 0).length,
    meanA: meanOf(means.map(({ a }) => a)),
    meanB: meanOf(means.map(({ b }) => b)),
    difference: meanOf(differences),
    interval: bounded(pairedInterval(differences, largest), options.largestDifference),
    pValue: permutationTest(differences).mid,
    plan: planRepeats(pairedVariance(repeated), options.smallestDifference, repeats),
  };
}

/** The four honest answers. */
export type Answer = 'better' | 'worse' | 'no-difference' | 'not-enough-data';

/**
 * Better or worse where chance hardly explains the difference; no difference where the interval leaves no room for one
 * that matters; else there is not enough data. `pValue` is the one after correction for several metrics.
 */
export function answerOf(
  comparison: PairedComparison,
  pValue: number,
  { smallestDifference, isHigherBetter }: { readonly smallestDifference: number; readonly isHigherBetter: boolean },
): Answer {
  const { difference, interval, informative } = comparison;
  if (pValue <= 0.05 && informative >= fewestInformative) return difference > 0 === isHigherBetter ? 'better' : 'worse';
  if (interval && interval.low > -smallestDifference && interval.high < smallestDifference) return 'no-difference';
  return 'not-enough-data';
}

function bounded(interval: Interval | undefined, largest: number | undefined): Interval | undefined {
  if (!interval || largest === undefined) return interval;
  return { low: Math.max(-largest, interval.low), high: Math.min(largest, interval.high) };
}

function largestOf(differences: readonly number[], atLeast: number): number {
  return differences.reduce((largest, difference) => Math.max(largest, Math.abs(difference)), atLeast);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
