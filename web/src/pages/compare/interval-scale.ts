import type { MetricComparison } from '../../../../src/compare/comparison.ts';

/** Where the parts of a drawn interval lie, in percent of its width; no difference is in the middle. */
export interface DrawnInterval {
  readonly low: number;
  readonly high: number;
  readonly estimate: number;
  /** The differences that are too small to matter. */
  readonly bandLow: number;
  readonly bandHigh: number;
}

/** Places of an interval on a scale of its own; undefined where there is none. */
export function drawnInterval({
  interval,
  difference,
  smallestDifference,
}: MetricComparison): DrawnInterval | undefined {
  if (!interval) return undefined;
  const smallest = Math.abs(smallestDifference);
  const reach = Math.max(Math.abs(interval.low), Math.abs(interval.high), Math.abs(difference), smallest * 1.5) || 1;
  const place = (value: number): number => 50 + (value / reach) * 48;
  return {
    low: place(interval.low),
    high: place(interval.high),
    estimate: place(difference),
    bandLow: place(-smallest),
    bandHigh: place(smallest),
  };
}
