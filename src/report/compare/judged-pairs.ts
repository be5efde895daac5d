import { type Interval, wilson, z95 } from '../../shared/stats/pass-rate.ts';
import { signTest } from '../../shared/stats/sign-test.ts';
import type { JudgedPair } from './judged-pair.ts';
import { type PositionBias, positionBias, positionBiasText } from './position-bias.ts';

/** Preferences of a judge between the answers of two sides, case by case. */
export interface PairwiseComparison {
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
  /** Share of the cases with a winner that B wins; null where no case has one. */
  readonly shareB: number | null;
  readonly interval: Interval | null;
  /** Two-sided sign test over the cases with a winner. */
  readonly pValue: number;
  readonly answer: 'better' | 'worse' | 'not-enough-data';
  /** Null where the price of the model is unknown. */
  readonly costUsd: number | null;
  readonly pairs: readonly JudgedPair[];
}

type JudgeIdentity = Pick<PairwiseComparison, 'model' | 'promptVersion'>;

/** Counts by case: several pairs of one case are one piece of evidence. */
export function summarizePairs(pairs: readonly JudgedPair[], judge: JudgeIdentity): PairwiseComparison {
  const byCase = new Map<string, JudgedPair[]>();
  for (const pair of pairs) {
    const key = JSON.stringify([pair.scenario, pair.caseId]);
    byCase.set(key, [...(byCase.get(key) ?? []), pair]);
  }
  const endings = [...byCase.values()].map(endingOf);
  const count = (ending: ReturnType<typeof endingOf>): number => endings.filter((one) => one === ending).length;
  const [winsA, winsB] = [count('a'), count('b')];
  const decided = winsA + winsB;
  const pValue = signTest(winsB, winsA);
  return {
    ...judge,
    cases: byCase.size,
    winsA,
    winsB,
    ties: count('tie'),
    orderDependent: pairs.filter(({ winner }) => winner === 'order-dependent').length,
    positionBias: positionBias(pairs) ?? null,
    notJudged: count('not-judged'),
    shareB: decided === 0 ? null : winsB / decided,
    interval: decided === 0 ? null : wilson(winsB, decided, z95),
    pValue,
    answer: pValue >= 0.05 ? 'not-enough-data' : winsB > winsA ? 'better' : 'worse',
    costUsd: pairs.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
    pairs,
  };
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
  const { winsA, winsB, ties, notJudged, interval, answer, pValue, cases } = judged;
  const counts = `B wins ${winsB}, A wins ${winsA}, ${ties} ${ties === 1 ? 'tie' : 'ties'} of ${cases} ${cases === 1 ? 'case' : 'cases'}`;
  const unjudged = notJudged === 0 ? '' : `, ${notJudged} could not be judged`;
  const share = (value: number): string => `${Math.round(value * 100)} %`;
  const range = interval === null ? '' : `; B wins ${share(interval.low)} to ${share(interval.high)} of decided cases`;
  const answers = {
    better: 'The judge prefers B',
    worse: 'The judge prefers A',
    'not-enough-data': 'Not enough data to prefer a side',
  } as const;
  return `${answers[answer]}: ${counts}${unjudged}${range} (95 %, sign test p = ${pValue.toPrecision(2)}).`;
}

function pairwiseCostText({ costUsd, model, orderDependent }: PairwiseComparison): string {
  const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
  const swayed = orderDependent === 0 ? '' : `; ${orderDependent} answers depended on the order and count as ties`;
  return `Judged by ${model ?? 'no model'} in both orders, ${cost}${swayed}.`;
}

/** Why pairs could not be judged, each reason once. */
function unjudgedReasons({ pairs }: PairwiseComparison): string[] {
  const reasons = pairs.flatMap(({ winner, reason }) => (winner === 'not-judged' ? [reason] : []));
  return [...new Set(reasons)].slice(0, mostReasons).map((reason) => `Could not be judged: ${reason}`);
}

const mostReasons = 5;
