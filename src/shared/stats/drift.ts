/**
 * Drift of a mean of values between 0 and 1, found by betting. Each later unit multiplies a stake by
 * 1 + bet * (bound - value): if the mean is not below the bound, the stake cannot be expected to grow, and by Ville's
 * inequality the probability that it ever reaches 1 / level is at most the level, however often it is looked at.
 */

/** Shares of the largest bet that can never lose everything; the stake is spread over them. */
const shares = [0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 0.8] as const;

/** Keeps stakes finite; any level is reached long before. */
const largestStake = 1e200;

/** How one period changes the stakes: a logarithm for each share. */
export type PeriodGrowth = readonly number[];

/** Growth of the stakes against a mean of at least `bound`. */
export function growthAgainst(bound: number, values: readonly number[]): PeriodGrowth {
  // A mean of at least 0 or of at least 1 leaves nothing to bet on or nothing to lose.
  const largest = 1 / Math.max(1e-9, 1 - bound);
  return shares.map((share) => values.reduce((sum, value) => sum + Math.log1p(share * largest * (bound - value)), 0));
}

/**
 * The stake after each period. A change may begin with any of them, so a part of the stake, 1 / (j * (j + 1)), is put
 * down at the beginning of period j; these parts add up to at most 1.
 */
export function stakesAfter(periods: readonly PeriodGrowth[]): number[] {
  const stakes = shares.map(() => 0);
  return periods.map((growths, index) => {
    for (const [each, growth] of growths.entries()) {
      const staked = (stakes[each] ?? 0) + 1 / ((index + 1) * (index + 2));
      stakes[each] = Math.min(largestStake, staked * Math.exp(Math.min(700, growth)));
    }
    return stakes.reduce((sum, stake) => sum + stake, 0) / shares.length;
  });
}

/**
 * A lower bound of the mean of a reference: it is above the mean with at most the probability `level`, however the number
 * of values was chosen.
 */
export function lowerBound(values: readonly number[], level: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (isTooLow(middle, values, level)) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether the values contradict a mean of at most `bound`. */
function isTooLow(bound: number, values: readonly number[], level: number): boolean {
  const largest = 1 / Math.max(1e-9, bound);
  const grown = shares.map((share) =>
    values.reduce((sum, value) => sum + Math.log1p(share * largest * (value - bound)), 0),
  );
  return grown.reduce((sum, growth) => sum + Math.exp(Math.min(700, growth)), 0) / shares.length >= 1 / level;
}

/**
 * Ranks of later values among those of the reference, from 0 (larger than all) to 1 (smaller than all), and the bound
 * that their mean keeps with probability 1 - level unless the values have become larger: the mean rank of the reference
 * in its own world is an average of uniform draws around 1/2, which deviates as a normal one with variance 1/12 at most.
 */
export function rankBound(reference: number, level: number): number {
  return Math.max(0, 0.5 - Math.sqrt(Math.log(1 / level) / (6 * reference)));
}

/** The share of the reference, which is sorted, that is larger than a value; equal ones count half. */
export function rankIn(sorted: readonly number[], value: number): number {
  const before = firstAtLeast(sorted, value);
  let equal = before;
  while (equal < sorted.length && sorted[equal] === value) equal++;
  return (sorted.length - equal + (equal - before) / 2) / sorted.length;
}

function firstAtLeast(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
