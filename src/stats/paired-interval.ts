import { hasNormalSum } from './has-normal-sum.ts';
import { type Interval, z95 } from './interval.ts';
import { seededRandom } from './seeded-random.ts';

const resamples = 2_000;
/** From so many differences on, fewer resamples have to do. */
const many = 1_000;
const resamplesOfMany = 600;
const seed = 20_261_115;

/**
 * 95 % interval for the mean of paired differences by the studentised bootstrap with a fixed seed. When no two cases
 * differ in their difference, there is nothing to resample: the interval then allows for as many unlike cases as so
 * many cases can have missed.
 */
export function pairedInterval(differences: readonly number[], largestPossible = 1): Interval | undefined {
  const count = differences.length;
  if (count < 2) return undefined;
  const center = meanOf(differences);
  const error = standardError(differences, center);
  if (error < 1e-12) return aroundUnvarying(center, count, largestPossible);
  const usual = studentQuantile(count - 1);
  if (hasNormalSum(differences.map((difference) => difference - center))) {
    return { low: center - usual * error, high: center + usual * error };
  }
  const ratios = studentised(differences, center, error);
  const low = center - lengthened(quantile(ratios, 0.975), usual) * error;
  const high = center + lengthened(-quantile(ratios, 0.025), usual) * error;
  return { low, high };
}

/** Shares of few repeats take few values, and resampling them alone gives intervals that are a little too short. */
function lengthened(resampled: number, usual: number): number {
  return resampled >= usual ? resampled : (resampled + 2 * usual) / 3;
}

/** The 97.5 % quantile of Student's distribution, by its expansion around that of the normal distribution. */
function studentQuantile(freedom: number): number {
  const z = z95;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}

/** The rule of three, exactly: with this share of unlike cases, seeing none would happen once in forty times. */
function aroundUnvarying(center: number, count: number, largestPossible: number): Interval {
  const missed = (1 - 0.025 ** (1 / count)) * largestPossible;
  return { low: center - missed, high: center + missed };
}

function studentised(differences: readonly number[], center: number, error: number): Float64Array {
  const random = seededRandom(seed);
  const count = differences.length;
  const rounds = count < many ? resamples : resamplesOfMany;
  const ratios = new Float64Array(rounds);
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    let squares = 0;
    for (let index = 0; index < count; index++) {
      const drawn = differences[Math.floor(random() * count)] ?? 0;
      sum += drawn;
      squares += drawn * drawn;
    }
    const mean = sum / count;
    const variance = Math.max(0, squares / count - mean * mean) * (count / (count - 1));
    const resampled = Math.sqrt(variance / count);
    // A resample of one value repeated has no error of its own.
    ratios[round] = (mean - center) / (resampled < 1e-12 ? error : resampled);
  }
  return ratios.sort();
}

function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] ?? 0;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low;
  return low === high ? low : low + (high - low) * (position - below);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardError(values: readonly number[], mean: number): number {
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
