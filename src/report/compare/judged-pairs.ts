import { costText, counted, wholePercent } from '../../shared/format.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import type { Answer } from '../../shared/stats/answer.ts';
import type { Interval } from '../../shared/stats/pass-rate.ts';
import type { JudgedPair } from './judged-pair.ts';
import { type PositionBias, positionBias, positionBiasText } from './position-bias.ts';

/** Preferences of a judge between the answers of two sides, counted. */
export interface PairwiseCounts {
  readonly model: string | null;
  readonly promptVersion: string;
  /** Different cases; one under several variants is one, and goes to the side that wins more of them. */
  readonly cases: number;
  readonly winsA: number;
  readonly winsB: number;
  /** Cases without a winner, those included in which the order decided. */
  readonly ties: number;
  /** Pairs in which the order decided. */
  readonly orderDependent: number;
  /** Whether the judge prefers a place; null where no pair was answered in both orders. */
  readonly positionBias: PositionBias | null;
  /** Cases of which no pair could be judged. */
  readonly notJudged: number;
  /** Null where the price of the model is unknown. */
  readonly costUsd: number | null;
  readonly pairs: readonly JudgedPair[];
}

/** The figure `judge-preference` of a comparison. */
interface PreferenceFigure {
  readonly meanB: number;
  readonly interval: Interval | undefined;
  readonly adjustedP: number;
  readonly answer: Answer | 'higher' | 'lower';
}

/** Preferences of a judge with their answer, which is that of the figure `judge-preference`. */
export interface PairwiseComparison extends PairwiseCounts {
  /** Share of the pairs that B wins, ties as half; null where none could be judged. */
  readonly shareB: number | null;
  /** Of the share; null with too few cases. */
  readonly interval: Interval | null;
  /** Two-sided, corrected as that of the figure. */
  readonly pValue: number;
  readonly answer: PreferenceFigure['answer'];
}

type JudgeIdentity = Pick<PairwiseCounts, 'model' | 'promptVersion'>;

/** Counts by case: several pairs of one case are one piece of evidence. */
export function countPairs(pairs: readonly JudgedPair[], judge: JudgeIdentity): PairwiseCounts {
  const byCase = groupedBy(pairs, ({ scenario, caseId }) => JSON.stringify([scenario, caseId]));
  const endings = [...byCase.values()].map(endingOf);
  const count = (ending: ReturnType<typeof endingOf>): number => endings.filter((one) => one === ending).length;
  return {
    ...judge,
    cases: byCase.size,
    winsA: count('a'),
    winsB: count('b'),
    ties: count('tie'),
    orderDependent: pairs.filter(({ winner }) => winner === 'order-dependent').length,
    positionBias: positionBias(pairs) ?? null,
    notJudged: count('not-judged'),
    costUsd: pairs.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
    pairs,
  };
}

/** The counts with the answer of the figure: one comparison gives one answer. */
export function answeredBy(figure: PreferenceFigure | undefined, counts: PairwiseCounts): PairwiseComparison {
  if (!figure) return { ...counts, shareB: null, interval: null, pValue: 1, answer: 'not-enough-data' };
  const { meanB, interval, adjustedP, answer } = figure;
  // The figure is the share of B less that of A, which together are 1.
  const share = interval && { low: (1 + interval.low) / 2, high: (1 + interval.high) / 2 };
  return { ...counts, shareB: meanB, interval: share ?? null, pValue: adjustedP, answer };
}

function endingOf(pairs: readonly JudgedPair[]): 'a' | 'b' | 'tie' | 'not-judged' {
  const judged = pairs.filter(({ winner }) => winner !== 'not-judged');
  if (judged.length === 0) return 'not-judged';
  const lead = judged.reduce((sum, { winner }) => sum + (winner === 'b' ? 1 : winner === 'a' ? -1 : 0), 0);
  return lead === 0 ? 'tie' : lead > 0 ? 'b' : 'a';
}

/** The judged comparison for its readers, the answer first. */
export function pairwiseTexts(judged: PairwiseComparison): string[] {
  const bias = judged.positionBias === null ? [] : [positionBiasText(judged.positionBias)];
  return [pairwiseText(judged), pairwiseCostText(judged), ...bias, ...unjudgedReasons(judged)];
}

/** The judged comparison in one sentence. */
function pairwiseText(judged: PairwiseComparison): string {
  const { winsA, winsB, ties, notJudged, shareB, interval, answer, cases } = judged;
  const counts = `B wins ${winsB}, A wins ${winsA}, ${ties} ${ties === 1 ? 'tie' : 'ties'} of ${counted(cases, 'case')}`;
  const unjudged = notJudged === 0 ? '' : `, ${notJudged} could not be judged`;
  const range =
    interval === null ? '' : ` (95 % interval ${wholePercent(interval.low)} to ${wholePercent(interval.high)})`;
  const share = shareB === null ? '' : `; B gets ${wholePercent(shareB)} of the pairs, ties as half${range}`;
  return `${answerWords(answer)}: ${counts}${unjudged}${share}.`;
}

function answerWords(answer: PairwiseComparison['answer']): string {
  switch (answer) {
    case 'better':
      return 'The judge prefers B';
    case 'worse':
      return 'The judge prefers A';
    case 'no-difference':
      return 'The judge prefers neither side';
    default:
      return 'Not enough data to prefer a side';
  }
}

function pairwiseCostText({ costUsd, model, orderDependent }: PairwiseComparison): string {
  const cost = costUsd === null ? 'cost unknown' : costText(costUsd);
  const swayed = orderDependent === 0 ? '' : `; ${orderDependent} answers depended on the order and count as ties`;
  return `Judged by ${model ?? 'no model'} in both orders, ${cost}${swayed}.`;
}

/** Why pairs could not be judged, each reason once. */
function unjudgedReasons({ pairs }: PairwiseComparison): string[] {
  const reasons = pairs.flatMap(({ winner, reason }) => (winner === 'not-judged' ? [reason] : []));
  return [...new Set(reasons)].slice(0, mostReasons).map((reason) => `Could not be judged: ${reason}`);
}

const mostReasons = 5;
