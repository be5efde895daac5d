import type { MetricComparison } from '../../../../src/report/compare/comparison.ts';

/** Where the parts of a drawn interval lie, in percent of its width; no difference is in the middle. */
interface DrawnInterval {
  readonly low: number;
  readonly high: number;
  readonly estimate: number;
  /** The differences that are too small to matter. */
  readonly bandLow: number;
  readonly bandHigh: number;
}

/** Ratios are drawn by their logarithms, so twice and half are equally far from no difference. */
function scaled({ interval, difference, smallestDifference, typical, meanA, meanB }: MetricComparison) {
  if (!typical) return { interval, difference, smallest: Math.abs(smallestDifference) };
  const mean = (Math.abs(meanA) + Math.abs(meanB)) / 2;
  return {
    interval: typical.interval && { low: Math.log(typical.interval.low), high: Math.log(typical.interval.high) },
    difference: Math.log(typical.ratio),
    smallest: mean === 0 ? 0 : Math.log(1 + Math.abs(smallestDifference) / mean),
  };
}

/** Positions of an interval on its own scale; undefined where there is none. */
export function drawnInterval(metric: MetricComparison): DrawnInterval | undefined {
  const { interval, difference, smallest } = scaled(metric);
  if (!interval) return undefined;
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
