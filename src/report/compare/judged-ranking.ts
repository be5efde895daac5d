import { costText, counted, wholePercent } from '../../shared/format.ts';
import { bradleyTerry, type Contest } from '../../shared/stats/bradley-terry.ts';
import type { Interval } from '../../shared/stats/pass-rate.ts';
import type { JudgedPair } from './judged-pair.ts';
import type { PairwiseCounts } from './judged-pairs.ts';
import { shareOfB } from './judged-preferences.ts';
import { type PositionBias, positionBias, positionBiasText } from './position-bias.ts';

/** Two variants whose answers a judge compared case by case. */
export interface JudgedVariants {
  readonly a: string;
  readonly b: string;
  /** Absent where the two cannot be compared. */
  readonly judged?: PairwiseCounts | undefined;
  /** Of the figure `judge-preference`, corrected for all pairs of variants. */
  readonly answer: 'better' | 'worse' | 'no-difference' | 'not-enough-data' | 'not-comparable';
  /** Why they cannot be compared. */
  readonly reason?: string | undefined;
}

/** A variant among all others. */
export interface RankedVariant {
  readonly label: string;
  /** From 1; the interval holds the ranks that chance allows. */
  readonly rank: number;
  readonly rankInterval: Interval;
  /** Expected share of wins against each of the others once, ties as half, with its 95 % interval. */
  readonly share: number;
  readonly interval: Interval;
  /** Natural logarithm (Bradley–Terry); the mean of all is 0. */
  readonly strength: number;
  /** How often it comes first when cases are drawn again. */
  readonly firstShare: number;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** All variants of a run, ranked by the preferences of a judge. */
export interface JudgedRanking {
  readonly schema: 'assay.ranking/1';
  readonly runId: string;
  /** The part of the variant that is compared. */
  readonly by: string;
  readonly model: string | null;
  readonly promptVersion: string | null;
  /** `leader`: one variant is better than every other. */
  readonly answer: 'leader' | 'not-enough-data' | 'nothing-to-compare';
  readonly leader: string | null;
  /** The answer in one sentence. */
  readonly summary: string;
  /** Cases with a preference. */
  readonly cases: number;
  readonly ranked: readonly RankedVariant[];
  readonly unranked: readonly { readonly label: string; readonly reason: string }[];
  readonly pairs: readonly JudgedVariants[];
  readonly positionBias: PositionBias | null;
  /** Null where a price is unknown. */
  readonly costUsd: number | null;
  readonly notes: readonly string[];
}

/** Ranks variants by the Bradley–Terry model of all their judged pairs. */
export function rankJudged(
  run: { readonly runId: string; readonly by: string },
  labels: readonly string[],
  pairs: readonly JudgedVariants[],
): JudgedRanking {
  const judged = pairs.flatMap((pair) => (pair.judged ? [pair.judged] : []));
  const connected = mostConnected(labels, pairs);
  const ranked = connected.length < 2 ? [] : rankedOf(connected, pairs);
  const leader = leaderOf(ranked, pairs);
  const all = judged.flatMap((each) => each.pairs);
  return {
    schema: 'assay.ranking/1',
    ...run,
    model: judged[0]?.model ?? null,
    promptVersion: judged[0]?.promptVersion ?? null,
    answer: ranked.length === 0 ? 'nothing-to-compare' : leader === undefined ? 'not-enough-data' : 'leader',
    leader: leader ?? null,
    summary: summaryOf(ranked, leader),
    cases: new Set(all.filter(isPreference).map(caseKey)).size,
    ranked,
    unranked: labels.flatMap((label) =>
      ranked.some((one) => one.label === label) ? [] : [{ label, reason: unrankedReason(label, pairs) }],
    ),
    pairs,
    positionBias: positionBias(all) ?? null,
    costUsd: judged.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
    notes: notesOf(judged),
  };
}

function rankedOf(labels: readonly string[], pairs: readonly JudgedVariants[]): RankedVariant[] {
  const contests = contestsOf(labels, pairs);
  const strengths = bradleyTerry(contests, labels.length);
  const ranked = strengths.map((found, place): RankedVariant => {
    const points = contests.flatMap((contest) => pointsOf(contest, place));
    const count = (value: (points: number) => boolean): number => points.filter(value).length;
    return {
      label: labels[place] ?? '',
      ...found,
      wins: count((share) => share > 0.5),
      losses: count((share) => share < 0.5),
      ties: count((share) => share === 0.5),
    };
  });
  return ranked.toSorted((a, b) => b.strength - a.strength);
}

function pointsOf({ first, second, points }: Contest, place: number): number[] {
  if (first === place) return [points];
  return second === place ? [1 - points] : [];
}

/** The sampled unit is the scenario where there are several, as in all comparisons. */
function contestsOf(labels: readonly string[], pairs: readonly JudgedVariants[]): Contest[] {
  const judged = pairs.flatMap(({ judged: found }) => found?.pairs ?? []).filter(isPreference);
  const hasScenarios = new Set(judged.map(({ scenario }) => scenario)).size > 1;
  return pairs.flatMap(({ a, b, judged: found }) => {
    const [first, second] = [labels.indexOf(b), labels.indexOf(a)];
    if (first < 0 || second < 0) return [];
    return (found?.pairs ?? []).filter(isPreference).map(({ scenario, caseId, winner }) => ({
      unit: hasScenarios ? scenario : caseId,
      first,
      second,
      points: shareOfB(winner) ?? 0.5,
    }));
  });
}

function isPreference({ winner }: JudgedPair): boolean {
  return winner !== 'not-judged';
}

function caseKey({ scenario, caseId }: JudgedPair): string {
  return JSON.stringify([scenario, caseId]);
}

/** The largest group of variants that met, directly or through others: strengths of others are on another scale. */
function mostConnected(labels: readonly string[], pairs: readonly JudgedVariants[]): string[] {
  const met = pairs.filter(({ judged }) => judged?.pairs.some(isPreference));
  const groups = labels.map((label) => {
    const group = new Set([label]);
    // A set that grows while it is iterated is iterated to its end.
    for (const member of group) {
      for (const { a, b } of met) {
        if (a === member) group.add(b);
        if (b === member) group.add(a);
      }
    }
    return group;
  });
  const largest = groups.toSorted((a, b) => b.size - a.size)[0] ?? new Set<string>();
  return labels.filter((label) => largest.has(label));
}

/** The first, where it is better than each of the others beyond chance. */
function leaderOf([first, ...others]: readonly RankedVariant[], pairs: readonly JudgedVariants[]): string | undefined {
  if (!first) return undefined;
  const isBetterThan = ({ label }: RankedVariant): boolean =>
    pairs.some(
      ({ a, b, answer }) =>
        (a === label && b === first.label && answer === 'better') ||
        (a === first.label && b === label && answer === 'worse'),
    );
  return others.every(isBetterThan) ? first.label : undefined;
}

function unrankedReason(label: string, pairs: readonly JudgedVariants[]): string {
  const own = pairs.filter(({ a, b }) => a === label || b === label);
  const refused = own.find(({ reason }) => reason !== undefined)?.reason;
  if (refused !== undefined) return refused;
  if (own.every(({ judged }) => judged?.cases === 0)) return 'no case was tried under it and under another variant';
  const failed = own.flatMap(({ judged }) => judged?.pairs ?? []).find(({ winner }) => winner === 'not-judged');
  return failed ? `no pair of answers could be judged: ${failed.reason}` : 'it met no variant of those that are ranked';
}

function summaryOf(ranked: readonly RankedVariant[], leader: string | undefined): string {
  const [first] = ranked;
  if (!first) return 'Nothing can be ranked: no pair of answers could be judged.';
  const share = `${wholePercent(first.share)} of comparisons with the others, 95 % interval ${rangeText(first.interval)}`;
  return leader === undefined
    ? `Not enough data to name the best of ${counted(ranked.length, 'variant')}: ${first.label} comes first (wins ${share})`
    : `The judge prefers ${leader} to every other variant (wins ${share})`;
}

function notesOf(judged: readonly PairwiseCounts[]): string[] {
  const sizes = judged.map(({ cases }) => cases);
  const [fewest, most] = [Math.min(...sizes), Math.max(...sizes)];
  const notJudged = judged.reduce((sum, each) => sum + each.pairs.filter((pair) => !isPreference(pair)).length, 0);
  return [
    ...(judged.length > 0 && fewest < most ? [`Pairs of variants have ${fewest} to ${most} cases in common.`] : []),
    ...(notJudged > 0 ? [`${counted(notJudged, 'pair')} of answers could not be judged.`] : []),
  ];
}

/** The texts below the table: who judged, at which cost, and how far places mattered. */
export function rankingTexts({ model, costUsd, pairs, positionBias: bias, unranked, notes }: JudgedRanking): string[] {
  const cost = costUsd === null ? 'cost unknown' : costText(costUsd);
  const count = counted(pairs.filter(({ judged }) => judged).length, 'pair');
  return [
    `${count} of variants judged by ${model ?? 'no model'} in both orders, ${cost}.`,
    ...(bias ? [positionBiasText(bias)] : []),
    ...unranked.map(({ label, reason }) => `${label} is not ranked: ${reason.replace(/\.$/, '')}.`),
    ...notes,
  ];
}

/** The cells of a row: rank, name, share with interval, ranks that chance allows, wins, ties, losses. */
export function rankingCells(one: RankedVariant): string[] {
  const { low, high } = one.rankInterval;
  const ranks = low === high ? `${low}` : `${low} to ${high}`;
  const counts = [one.wins, one.ties, one.losses].map(String);
  return [`${one.rank}. ${one.label}`, wholePercent(one.share), rangeText(one.interval), ranks, ...counts];
}

export const rankingHeads = ['variant', 'wins against others', '95 % interval', 'ranks', 'won', 'ties', 'lost'];

const words = {
  better: (a: string, b: string) => `${b} is better than ${a}`,
  worse: (a: string, b: string) => `${a} is better than ${b}`,
  'no-difference': (a: string, b: string) => `no difference between ${a} and ${b}`,
  'not-enough-data': (a: string, b: string) => `${a} and ${b}: not enough data`,
  'not-comparable': (a: string, b: string) => `${a} and ${b}: not comparable`,
} as const;

/** `terse is better than clear (9 wins, 2 ties, 1 loss)`. */
export function variantPairText({ a, b, answer, judged }: JudgedVariants): string {
  const text = words[answer](a, b);
  if (!judged) return text;
  const [wins, losses] = answer === 'worse' ? [judged.winsA, judged.winsB] : [judged.winsB, judged.winsA];
  const who = answer === 'better' || answer === 'worse' ? '' : `${b}: `;
  return `${text} (${who}${counted(wins, 'win')}, ${counted(judged.ties, 'tie')}, ${losses === 1 ? '1 loss' : `${losses} losses`})`;
}

function rangeText({ low, high }: Interval): string {
  return `${wholePercent(low)} to ${wholePercent(high)}`;
}
