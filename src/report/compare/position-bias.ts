import { comparePairs, type PairedCase } from '../../shared/stats/compare-pairs.ts';
import type { Interval } from '../../shared/stats/pass-rate.ts';
import type { JudgedPair, ShownOrder } from './judged-pair.ts';

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
  /** `not-found`: chance explains the difference of the two places. */
  readonly answer: 'prefers-first' | 'prefers-second' | 'not-found';
}

/**
 * The two places as the two sides of a paired comparison. Attempts change places within each pair, so their quality
 * cancels out. Undefined where no pair was answered in both orders.
 */
export function positionBias(pairs: readonly JudgedPair[]): PositionBias | undefined {
  const answered = pairs.filter(isAnsweredTwice);
  const hasScenarios = new Set(answered.map(({ scenario }) => scenario)).size > 1;
  const cases = answered.map(({ scenario, caseId, orders }): PairedCase => {
    const points = orders.map(pointsOfFirst);
    return { unit: hasScenarios ? scenario : caseId, a: points.map((share) => 1 - share), b: points };
  });
  const found = comparePairs(cases, { largestDifference: 1 });
  if (!found) return undefined;
  const { interval, pValue, meanB } = found;
  const all = answered.flatMap(({ orders }) => orders.map(pointsOfFirst));
  const isFound = interval !== undefined && (interval.low > 0 || interval.high < 0);
  return {
    first: all.filter((points) => points === 1).length,
    second: all.filter((points) => points === 0).length,
    ties: all.filter((points) => points === 0.5).length,
    shareFirst: meanB,
    interval: interval === undefined ? null : { low: (1 + interval.low) / 2, high: (1 + interval.high) / 2 },
    pValue,
    answer: !isFound ? 'not-found' : meanB > 0.5 ? 'prefers-first' : 'prefers-second',
  };
}

function isAnsweredTwice({ orders }: JudgedPair): boolean {
  return orders.length === 2 && orders.every(({ preferred }) => preferred !== 'cannot-tell');
}

function pointsOfFirst({ first, preferred }: ShownOrder): number {
  return preferred === 'tie' ? 0.5 : preferred === first ? 1 : 0;
}

/** The bias in one sentence. */
export function positionBiasText({ first, second, ties, shareFirst, interval, answer }: PositionBias): string {
  const share = (value: number): string => `${Math.round(value * 100)} %`;
  const answers = {
    'prefers-first': 'Position bias: the judge prefers the attempt shown first',
    'prefers-second': 'Position bias: the judge prefers the attempt shown second',
    'not-found': 'No position bias found',
  } as const;
  const range = interval === null ? '' : `, 95 % interval ${share(interval.low)} to ${share(interval.high)}`;
  const counts = `${first} answers for the first, ${second} for the second, ${ties} for neither`;
  return `${answers[answer]}: the first place gets ${share(shareFirst)} (50 % without bias${range}; ${counts}).`;
}
