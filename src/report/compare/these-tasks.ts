import { type Answer, answerOf } from '../../shared/stats/answer.ts';
import { chanceOfFlip } from '../../shared/stats/broken-cases.ts';
import { missingRoom, rareFactor } from '../../shared/stats/compare-pairs.ts';
import { comparePasses } from '../../shared/stats/fixed-cases.ts';
import { unseenShare } from '../../shared/stats/mean-difference.ts';
import { permuteTrials } from '../../shared/stats/permute-trials.ts';
import type { CasePair } from './collected-side.ts';
import type { OnTheseTasks } from './comparison.ts';
import { talliesOf } from './failing-cases.ts';
import { everyValue, type FigureValues, largestLog } from './figures.ts';

/** In a large flaky suite flips alone use up most of the error rate; the mean then gets its own fifth. */
const costlyFlips = 0.025;

/** The level of the pass rate on these tasks: it shares its error rate with the cases that are called broken. */
export function levelOnTheseTasks(pairs: readonly CasePair[], level: number): number {
  return chanceOfFlip(talliesOf(pairs)) > costlyFlips ? level / 5 : level;
}

interface Wanted {
  readonly level: number;
  readonly smallestDifference: number;
  readonly isHigherBetter: boolean;
  /** The logarithms of the values, where they are compared by ratios. */
  readonly isRatio: boolean;
  readonly isShare: boolean;
}

/** How the sides differ on exactly these cases; undefined where no case has trials on both sides. */
export function onTheseTasks(values: FigureValues, wanted: Wanted): Omit<OnTheseTasks, 'answer'> | undefined {
  const isPass = wanted.isShare && everyValue(values.cases, (value) => value === 0 || value === 1);
  const found = (isPass ? comparePasses : permuteTrials)(values.cases, wanted.level);
  if (!found) return undefined;
  const [meanA, meanB] = [meanOver(values, 'a'), meanOver(values, 'b')];
  const largestDifference = wanted.isShare ? 1 : wanted.isRatio ? largestLog : undefined;
  const room = missingRoom({ missing: values.missing, largestDifference }, meanA, meanB);
  const [below, above] = wanted.isShare ? [-1, 1] : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const interval = found.interval && {
    low: Math.max(below, found.interval.low - room.below),
    high: Math.min(above, found.interval.high + room.above),
  };
  return {
    cases: values.distinct,
    trialsA: countOf(values, 'a'),
    trialsB: countOf(values, 'b'),
    isRatio: wanted.isRatio,
    difference: found.difference,
    interval,
    pValue: found.pValue,
    level: wanted.level,
  };
}

/** The answer on these cases. */
export function answerOnTheseTasks(found: Omit<OnTheseTasks, 'answer'>, wanted: Wanted): Answer {
  const answer = answerOf(found, wanted);
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
