import { type Answer, answerOf } from '../../shared/stats/answer.ts';
import { missingRoom, rareFactor } from '../../shared/stats/compare-pairs.ts';
import { unseenShare } from '../../shared/stats/mean-difference.ts';
import { permuteTrials } from '../../shared/stats/permute-trials.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import type { WithinCases } from './comparison.ts';
import { type FigureValues, largestLog } from './figure-values.ts';

interface Wanted {
  readonly level: number;
  readonly smallestDifference: number;
  readonly isHigherBetter: boolean;
  /** The logarithms of the values, where they are compared by ratios. */
  readonly isRatio: boolean;
  readonly isShare: boolean;
}

/**
 * What the trials of a few cases show of exactly these cases. Undefined where there are enough of them to speak of
 * others, and where there is nothing to deal out anew.
 */
export function withinCases(
  values: FigureValues,
  units: number,
  wanted: Wanted,
): Omit<WithinCases, 'answer'> | undefined {
  if (units >= fewestInformative) return undefined;
  const found = permuteTrials(values.cases, wanted.level);
  if (!found) return undefined;
  const [meanA, meanB] = [meanOver(values, 'a'), meanOver(values, 'b')];
  const largestDifference = wanted.isShare ? 1 : wanted.isRatio ? largestLog : undefined;
  const room = missingRoom({ missing: values.missing, largestDifference }, meanA, meanB);
  const interval = found.interval && {
    low: found.interval.low - room.below,
    high: found.interval.high + room.above,
  };
  return {
    cases: values.distinct,
    trialsA: countOf(values, 'a'),
    trialsB: countOf(values, 'b'),
    isRatio: wanted.isRatio,
    difference: found.difference,
    interval,
    pValue: found.pValue,
  };
}

/** The answer on these cases, with a p-value that is corrected for the figures that are looked at. */
export function answerWithin(found: Omit<WithinCases, 'answer'>, pValue: number, wanted: Wanted): Answer {
  const isBeyondChance = pValue <= wanted.level;
  const answer = answerOf(found, { ...wanted, isBeyondChance });
  if (answer !== 'no-difference') return answer;
  // Trials that would differ can have been missed; of a figure without a bound they can differ by anything.
  const unseen = unseenShare(Math.min(found.trialsA, found.trialsB)) * (wanted.isShare ? 1 : rareFactor);
  const { low, high } = found.interval ?? { low: 0, high: 0 };
  const isCertain = low - unseen > -wanted.smallestDifference && high + unseen < wanted.smallestDifference;
  return isCertain ? answer : 'not-enough-data';
}

function countOf({ cases }: FigureValues, side: 'a' | 'b'): number {
  return cases.reduce((sum, one) => sum + one[side].length, 0);
}

function meanOver({ cases }: FigureValues, side: 'a' | 'b'): number {
  const means = cases.map((one) => one[side].reduce((sum, value) => sum + value, 0) / one[side].length);
  return means.reduce((sum, mean) => sum + mean, 0) / means.length;
}
