import { wholePercent } from '../../shared/format.ts';
import { comparePairs, type PairedCase } from '../../shared/stats/compare-pairs.ts';
import type { Interval } from '../../shared/stats/pass-rate.ts';
import type { JudgedPair, ShownOrder } from './judged-pair.ts';
import { sampleUnits } from './sample-units.ts';

/** Whether a judge prefers the attempt that it is shown first, whichever that is. */
export interface PositionBias {
  /** Answers that prefer the attempt shown first, the one shown second, and neither. */
  readonly first: number;
  readonly second: number;
  readonly ties: number;
  /** Share of the preferences that the first place gets, ties as half; 0.5 for a judge without bias. */
  readonly shareFirst: number;
  /** 95 %, over cases; null with fewer than two. */
  readonly interval: Interval | null;
  readonly pValue: number;
  /** `not-found`: both places get about as much; `not-enough-data`: they do not, and chance may explain it. */
  readonly answer: 'prefers-first' | 'prefers-second' | 'not-found' | 'not-enough-data';
}

/**
 * The two places as the two sides of a paired comparison. Attempts change places within each pair, so their quality
 * cancels out. Undefined where no pair was answered in both orders.
 */
export function positionBias(pairs: readonly JudgedPair[]): PositionBias | undefined {
  const answered = pairs.filter(isAnsweredTwice);
  const { unitOf } = sampleUnits(answered);
  const cases = answered.map((pair): PairedCase => {
    const points = pair.orders.map(pointsOfFirst);
    return { unit: unitOf(pair), a: points.map((share) => 1 - share), b: points };
  });
  const found = comparePairs(cases, { largestDifference: 1 });
  if (!found) return undefined;
  const { interval, pValue, meanB } = found;
  const all = answered.flatMap(({ orders }) => orders.map(pointsOfFirst));
  return {
    first: all.filter((points) => points === 1).length,
    second: all.filter((points) => points === 0).length,
    ties: all.filter((points) => points === 0.5).length,
    shareFirst: meanB,
    interval: interval === undefined ? null : { low: (1 + interval.low) / 2, high: (1 + interval.high) / 2 },
    pValue,
    answer: biasAnswer(interval, meanB),
  };
}

/** A place that gets up to so much more than half of the preferences matters little. */
const largestBias = 0.1;

function biasAnswer(interval: Interval | undefined, shareFirst: number): PositionBias['answer'] {
  if (interval && interval.low > 0) return 'prefers-first';
  if (interval && interval.high < 0) return 'prefers-second';
  return Math.abs(shareFirst - 0.5) <= largestBias ? 'not-found' : 'not-enough-data';
}

function isAnsweredTwice({ orders }: JudgedPair): boolean {
  return orders.length === 2 && orders.every(({ preferred }) => preferred !== 'cannot-tell');
}

function pointsOfFirst({ first, preferred }: ShownOrder): number {
  return preferred === 'tie' ? 0.5 : preferred === first ? 1 : 0;
}

/** The bias in one sentence. */
export function positionBiasText({ first, second, ties, shareFirst, interval, answer }: PositionBias): string {
  const answers = {
    'prefers-first': 'Position bias: the judge prefers the attempt shown first',
    'prefers-second': 'Position bias: the judge prefers the attempt shown second',
    'not-found': 'No position bias found',
    'not-enough-data': 'Not enough pairs to show whether the judge prefers a place',
  } as const;
  const range =
    interval === null ? '' : `, 95 % interval ${wholePercent(interval.low)} to ${wholePercent(interval.high)}`;
  const counts = `${first} answers for the first, ${second} for the second, ${ties} for neither`;
  return `${answers[answer]}: the first place gets ${wholePercent(shareFirst)} (50 % without bias${range}; ${counts}).`;
}
