import { type Interval, z95 } from './interval.ts';

/** Wilson's score interval for a proportion; all of 0 to 1 when there were no trials. */
export function wilson(successes: number, trials: number, z = z95): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const square = (z * z) / trials;
  const centre = share + square / 2;
  const margin = z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  return {
    low: successes === 0 ? 0 : (centre - margin) / (1 + square),
    high: successes === trials ? 1 : (centre + margin) / (1 + square),
  };
}
