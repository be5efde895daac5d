import { type Rows, sumOfRows } from '../rows.ts';
import { normalCdf, normalQuantile } from './distributions.ts';
import type { Interval } from './pass-rate.ts';
import { permuteTrials, type TrialDifference, type TrialsOfCase, triedOnBoth } from './permute-trials.ts';
import { meanOf, varianceOf } from './spread.ts';

/**
 * How two sides differ on exactly these cases, where every value is a pass (1) or a failure (0). Permuting binary values gives no
 * usable interval at the ends (0 of 6 against 6 of 6 would be "100 to 100"), so the interval comes from the variance of the
 * trials within each case, with one further trial that gains and one that loses. It excludes 0 only where the permutation
 * test does too.
 */
export function comparePasses(cases: Rows<TrialsOfCase>, level = 0.05): TrialDifference | undefined {
  const usable = triedOnBoth(cases);
  const permuted = permuteTrials(usable, level);
  if (!permuted) return undefined;
  const { difference } = permuted;
  const error = Math.sqrt(sumOfRows(usable, differenceVariance) / usable.length ** 2 + further(usable));
  const pValue = Math.max(permuted.pValue, 2 * normalCdf(-Math.abs(difference) / error));
  const half = normalQuantile(1 - level / 2) * error;
  return { difference, pValue, interval: including0(difference, half, pValue > level) };
}

function including0(difference: number, half: number, isZeroPossible: boolean): Interval {
  const [low, high] = [Math.max(-1, difference - half), Math.min(1, difference + half)];
  return isZeroPossible ? { low: Math.min(low, 0), high: Math.max(high, 0) } : { low, high };
}

/** Of the difference of one case. A single trial shows no variance by itself: then the difference is all that there is. */
function differenceVariance({ a, b }: TrialsOfCase): number {
  if (a.length < 2 || b.length < 2) return (meanOf(b) - meanOf(a)) ** 2;
  return varianceOf(a) / a.length + varianceOf(b) / b.length;
}

/** The variance that one more trial that gains and one that loses would add. */
function further(cases: Rows<TrialsOfCase>): number {
  const squares = sumOfRows(cases, ({ a, b }) => ((1 / a.length + 1 / b.length) / 2) ** 2);
  return (2 * squares) / cases.length ** 3;
}
