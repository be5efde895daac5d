import type { Interval } from './pass-rate.ts';

/** The four honest answers. */
export type Answer = 'better' | 'worse' | 'no-difference' | 'not-enough-data';

/** Data behind an answer. */
export interface Answerable {
  readonly difference: number;
  readonly interval: Interval | undefined;
}

interface Question {
  readonly smallestDifference: number;
  readonly isHigherBetter: boolean;
}

/**
 * The answer is read from the interval alone, so the two never contradict each other: better or worse where it
 * excludes 0, no difference where it leaves no room for one that matters, and else there is not enough data.
 */
export function answerOf({ interval }: Answerable, question: Question): Answer {
  const { smallestDifference, isHigherBetter } = question;
  if (!interval) return 'not-enough-data';
  if (interval.low > 0) return isHigherBetter ? 'better' : 'worse';
  if (interval.high < 0) return isHigherBetter ? 'worse' : 'better';
  if (interval.low > -smallestDifference && interval.high < smallestDifference) return 'no-difference';
  return 'not-enough-data';
}

/** Whether a difference is certain, and certain to be smaller than matters. */
export function isLessThanMatters({ interval }: Answerable, smallestDifference: number): boolean {
  if (!interval || (interval.low <= 0 && interval.high >= 0)) return false;
  return interval.low > -smallestDifference && interval.high < smallestDifference;
}
