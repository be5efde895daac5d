import { joinedRows, mappedRows, type Rows, sumOfRows } from '../../shared/rows.ts';
import { type Answer, answerOf } from '../../shared/stats/answer.ts';
import { type CaseTally, chanceOfFlipAlarm } from '../../shared/stats/broken-cases.ts';
import { missingPadding } from '../../shared/stats/compare-pairs.ts';
import { comparePasses } from '../../shared/stats/fixed-cases.ts';
import { comparedWhateverWasLost } from '../../shared/stats/lost-shares.ts';
import { unseenShare } from '../../shared/stats/mean-difference.ts';
import {
  permuteTrials,
  type TrialDifference,
  type TrialsOfCase,
  triedOnBoth,
} from '../../shared/stats/permute-trials.ts';
import { meanOf } from '../../shared/stats/spread.ts';
import type { OnTheseTasks } from './comparison.ts';
import type { FigureValues } from './figure-values.ts';
import { everyValue, largestLog } from './figures.ts';

/**
 * Where flips alone use up most of the error rate, the mean gets a tenth. With a fifth 4.8 % of unchanged suites of 200 x 5 are
 * worse (7,500 replications), of which flips are 4.4 %.
 */
const costlyFlips = 0.025;
const shareBesideFlips = 0.1;

/** The level of the pass rate on these tasks: it shares its error rate with the cases that are called broken. */
export function levelOnTheseTasks(cases: Rows<TrialsOfCase>, level: number): number {
  const tallies = mappedRows(cases, ({ a, b }) => ({ before: tallyOf(a), now: tallyOf(b) }));
  return chanceOfFlipAlarm(tallies) > costlyFlips ? shareBesideFlips * level : level;
}

function tallyOf(values: readonly number[]): CaseTally {
  const passed = values.reduce((sum, value) => sum + value, 0);
  return { passed, failed: values.length - passed };
}

interface Wanted {
  /** Of the cases, which may have trials in place of those that were lost. */
  readonly levelOf: (cases: Rows<TrialsOfCase>) => number;
  readonly smallestDifference: number;
  readonly isHigherBetter: boolean;
  /** The logarithms of the values, where they are compared by ratios. */
  readonly isRatio: boolean;
  readonly isShare: boolean;
}

/** How the sides differ on exactly these cases; undefined where no case has trials on both sides. */
export function onTheseTasks(values: FigureValues, wanted: Wanted): Omit<OnTheseTasks, 'answer'> | undefined {
  const found = wanted.isShare ? sharesOnTasks(values, wanted) : amountsOnTasks(values, wanted);
  return (
    found && {
      cases: values.distinct,
      trialsA: countOf(values, 'a'),
      trialsB: countOf(values, 'b'),
      isRatio: wanted.isRatio,
      difference: found.difference,
      interval: found.interval,
      pValue: found.pValue,
      level: wanted.levelOf(values.cases),
    }
  );
}

function sharesOnTasks({ cases, unpaired }: FigureValues, { levelOf }: Wanted): TrialDifference | undefined {
  const isPass = everyValue(cases, (value) => value === 0 || value === 1);
  const compare = isPass ? comparePasses : permuteTrials;
  const found = comparedWhateverWasLost(joinedRows(cases, unpaired), (filled) => {
    const usable = triedOnBoth(filled);
    return compare(usable, levelOf(usable));
  });
  const { low, high } = found?.interval ?? { low: 0, high: 0 };
  return found && { ...found, interval: found.interval && { low: Math.max(-1, low), high: Math.min(1, high) } };
}

/** Without a bound, what was lost can have been anything that is usual. */
function amountsOnTasks(values: FigureValues, { levelOf, isRatio }: Wanted): TrialDifference | undefined {
  const found = permuteTrials(values.cases, levelOf(values.cases));
  const largestDifference = isRatio ? largestLog : undefined;
  const padding = missingPadding(
    { missing: values.missing, largestDifference },
    meanOver(values, 'a'),
    meanOver(values, 'b'),
  );
  const interval = found?.interval && {
    low: found.interval.low - padding.below,
    high: found.interval.high + padding.above,
  };
  return found && { ...found, interval };
}

/**
 * The answer on these cases. Trials that would differ can have been missed, so no difference needs as many as rule out enough of
 * them, or the same answer for tasks like these: whatever holds there was found among these cases.
 */
export function answerOnTheseTasks(
  found: Omit<OnTheseTasks, 'answer'>,
  wanted: Pick<Wanted, 'smallestDifference' | 'isHigherBetter'> & { readonly largestDifference: number },
  likeThese: Answer,
): Answer {
  const answer = answerOf(found, wanted);
  if (answer !== 'no-difference' || likeThese === answer) return answer;
  const unseen = unseenShare(Math.min(found.trialsA, found.trialsB)) * wanted.largestDifference;
  const { low, high } = found.interval ?? { low: 0, high: 0 };
  const isCertain = low - unseen > -wanted.smallestDifference && high + unseen < wanted.smallestDifference;
  return isCertain ? answer : 'not-enough-data';
}

function countOf({ cases }: FigureValues, side: 'a' | 'b'): number {
  return sumOfRows(cases, (one) => one[side].length);
}

function meanOver({ cases }: FigureValues, side: 'a' | 'b'): number {
  return sumOfRows(cases, (one) => meanOf(one[side])) / cases.length;
}
