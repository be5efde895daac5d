import type { Fault } from '../../../domain/tool-control/faults.ts';
import type { Random } from '../../../shared/seeded-random.ts';

/** The 99th percentile of the normal distribution. */
const z99 = 2.326_347_874;
/** A rare draw is not longer than this times the 99th percentile. */
const mostTimes = 4;

/** A delay in milliseconds: as given, or drawn from the log-normal distribution with these percentiles. */
export function drawnDelay(ms: NonNullable<Fault['ms']> | 0, random: Random): number {
  if (typeof ms === 'number') return ms;
  const spread = Math.log(ms.p99 / ms.p50) / z99;
  return Math.round(Math.min(ms.p50 * Math.exp(spread * normal(random)), ms.p99 * mostTimes));
}

/** A standard normal number, by the method of Box and Muller. */
function normal(random: Random): number {
  const [first, second] = [1 - random(), random()];
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}
