import { studentQuantile, studentTwoSided } from './distributions.ts';
import type { Interval } from './pass-rate.ts';
import { sumOf } from './spread.ts';

/** Sampled units, such as cases: the mean difference of each, and how much of the whole it stands for. */
export interface SampledUnits {
  readonly differences: Float64Array;
  readonly weights: Float64Array;
}

export interface MeanDifference {
  readonly difference: number;
  /** Undefined with fewer than two units. */
  readonly interval: Interval | undefined;
  /** Two-sided; at most the level exactly where the interval excludes 0. */
  readonly pValue: number;
  /** Units that differ at all. */
  readonly informative: number;
}

/**
 * Mean difference of sampled units with its interval and test, which are one method: Student's, with the variance of two
 * further units, one that gains and one that loses as much as those usually do that differ. Agresti and Min do so for
 * paired proportions (2005); without them the interval is too short where nearly all units are alike. `largest` is what a
 * unit that differs could differ by, where none was seen that does.
 */
export function meanDifference(units: SampledUnits, largest: number, level = 0.05): MeanDifference {
  const { differences, weights } = units;
  const count = differences.length;
  const mean = differences.reduce((sum, each, unit) => sum + each * (weights[unit] ?? 0), 0) / sumOf(weights);
  const informative = differences.reduce((sum, each) => sum + (each === 0 ? 0 : 1), 0);
  if (count < 2) return { difference: mean, interval: undefined, pValue: 1, informative };
  const effective = effectiveCount(weights);
  if (informative === 0) {
    const unseen = unseenShare(effective, level / 2) * largest;
    return { difference: 0, interval: { low: -unseen, high: unseen }, pValue: 1, informative };
  }
  const error = standardError(units, mean);
  const freedom = Math.max(1, effective - 1);
  // So few units that differ can all have gained by chance, whatever they gained (the sign test).
  const pValue = Math.max(studentTwoSided(mean / error, freedom), 2 * 0.5 ** informative);
  const half = studentQuantile(1 - level, freedom) * error;
  const [low, high] = [mean - half, mean + half];
  const interval = pValue <= level ? { low, high } : { low: Math.min(low, 0), high: Math.max(high, 0) };
  return { difference: mean, interval, pValue: Math.min(1, pValue), informative };
}

/** The share of units that can be unlike all of so many that were seen, where chance shows so rarely none of them. */
export function unseenShare(count: number, chance = 0.025): number {
  return 1 - chance ** (1 / count);
}

/** Units of unequal weight carry as much information as fewer of equal weight. */
export function effectiveCount(weights: Float64Array): number {
  return sumOf(weights) ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
}

function standardError({ differences, weights }: SampledUnits, mean: number): number {
  const meanWeight = sumOf(weights) / weights.length;
  let [around, squares, fourths, informative] = [0, 0, 0, 0];
  for (const [unit, difference] of differences.entries()) {
    const share = (weights[unit] ?? 0) / meanWeight;
    const square = (share * difference) ** 2;
    around += (share * (difference - mean)) ** 2;
    squares += square;
    fourths += square ** 2;
    if (difference !== 0) informative++;
  }
  // Between the usual square and one in which large differences count more, so few large ones are not drowned.
  const further = (squares / informative + fourths / squares) / 2;
  const count = differences.length + 2;
  return Math.sqrt((around + 2 * (further + mean ** 2)) / (count - 1) / count);
}
