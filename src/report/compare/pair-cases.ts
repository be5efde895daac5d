import type { Variant } from '../../domain/variant.ts';
import { variantParts } from '../../domain/variant.ts';
import type { Answer } from '../../shared/stats/answer.ts';
import { answerOf } from '../../shared/stats/answer.ts';
import { missingRoom, rareFactor } from '../../shared/stats/compare-pairs.ts';
import { unseenShare } from '../../shared/stats/mean-difference.ts';
import { permuteTrials } from '../../shared/stats/permute-trials.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import { entryOf } from './case-numbers.ts';
import type { CasePair, CheckTally, CollectedCase, CollectedSide } from './collected-side.ts';
import type { WithinCases } from './comparison.ts';
import type { FigureValues } from './figures.ts';
import { largestLog } from './figures.ts';

/** A part of the variant in which the sides have nothing in common, and which is therefore compared. */
export interface ComparedPart {
  readonly part: keyof Variant;
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface PairedSides {
  /** In an order that does not depend on which side comes first. */
  readonly pairs: readonly CasePair[];
  readonly compared: readonly ComparedPart[];
}

/** Puts the cases of two sides together by scenario, case and the parts of the variant that both sides share. */
export function pairCases(a: CollectedSide, b: CollectedSide): PairedSides {
  const compared = comparedParts(a, b);
  const shared = variantParts.filter((part) => !compared.some((other) => other.part === part));
  const sharedParts = rememberedFor((variant: Variant) => partsOf(variant, shared));
  const [casesA, casesB] = [byKey(a, shared), byKey(b, shared)];
  const pairs: CasePair[] = [];
  for (const scenario of sortedKeys(casesA, casesB)) {
    const [ofA = noCases, ofB = noCases] = [casesA.get(scenario), casesB.get(scenario)];
    for (const key of sortedKeys(ofA, ofB)) {
      const [first, second] = [ofA.get(key), ofB.get(key)];
      const either = first ?? second;
      if (!either) continue;
      const { caseId, variant } = either;
      pairs.push({ scenario: either.scenario, caseId, variant: sharedParts(variant), a: first, b: second });
    }
  }
  return { pairs, compared };
}

type CasesByKey = ReadonlyMap<string, CollectedCase>;

const noCases: CasesByKey = new Map();

function sortedKeys(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] {
  const keys = [...a.keys()];
  for (const key of b.keys()) if (!a.has(key)) keys.push(key);
  return keys.sort();
}

function comparedParts(a: CollectedSide, b: CollectedSide): ComparedPart[] {
  if (a.cases.length === 0 || b.cases.length === 0) return [];
  const [variantsA, variantsB] = [variantsOf(a), variantsOf(b)];
  return variantParts.flatMap((part): ComparedPart[] => {
    const [valuesA, valuesB] = [valuesOf(variantsA, part), valuesOf(variantsB, part)];
    const hasCommon = [...valuesA].some((value) => valuesB.has(value));
    return hasCommon ? [] : [{ part, a: [...valuesA], b: [...valuesB] }];
  });
}

function variantsOf({ cases }: CollectedSide): ReadonlySet<Variant> {
  return new Set(cases.map(({ variant }) => variant));
}

function valuesOf(variants: ReadonlySet<Variant>, part: keyof Variant): Set<string> {
  return new Set(Array.from(variants, (variant) => variant[part] ?? ''));
}

/** By scenario, and by case and shared parts of the variant; quoted: no name can look like two. */
function byKey({ cases }: CollectedSide, shared: readonly (keyof Variant)[]): ReadonlyMap<string, CasesByKey> {
  const found = new Map<string, Map<string, CollectedCase>>();
  const quotedParts = rememberedFor((variant: Variant) =>
    shared.map((part) => `,${JSON.stringify(variant[part] ?? '')}`).join(''),
  );
  const casesOf = rememberedFor((scenario: string) =>
    entryOf(found, JSON.stringify(scenario), () => new Map<string, CollectedCase>()),
  );
  for (const one of cases) {
    const ofScenario = casesOf(one.scenario);
    const key = `${JSON.stringify(one.caseId)}${quotedParts(one.variant)}`;
    const existing = ofScenario.get(key);
    ofScenario.set(key, existing ? merged(existing, one) : one);
  }
  return found;
}

/** There are many cases, and few scenarios and variants. */
function rememberedFor<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>();
  return (given) => {
    const existing = made.get(given);
    if (existing !== undefined) return existing;
    const value = make(given);
    made.set(given, value);
    return value;
  };
}

function merged(first: CollectedCase, second: CollectedCase): CollectedCase {
  const figures = new Map<string, readonly number[]>(first.figures);
  for (const [name, values] of second.figures) figures.set(name, [...(figures.get(name) ?? []), ...values]);
  const checks = mergedTallies(first.checks, second.checks) ?? new Map<string, CheckTally>();
  return {
    ...first,
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    unjudged: first.unjudged + second.unjudged,
    figures,
    checks,
    verdicts: mergedTallies(first.verdicts, second.verdicts),
    success: first.success ?? second.success,
    failure: first.failure ?? second.failure,
    unjudgedTrial: first.unjudgedTrial ?? second.unjudgedTrial,
  };
}

function mergedTallies(
  first: Iterable<[string, Readonly<CheckTally>]> | undefined,
  second: Iterable<[string, Readonly<CheckTally>]> | undefined,
): Map<string, CheckTally> | undefined {
  if (!first || !second) return undefined;
  const merged = new Map<string, Readonly<CheckTally>>(first);
  for (const [name, { passed, failed }] of second) {
    const tally = merged.get(name) ?? { passed: 0, failed: 0 };
    merged.set(name, { passed: tally.passed + passed, failed: tally.failed + failed });
  }
  return merged;
}

function partsOf(variant: Variant, parts: readonly (keyof Variant)[]): Record<string, string> {
  return Object.fromEntries(parts.flatMap((part) => (variant[part] === undefined ? [] : [[part, variant[part]]])));
}

interface Wanted {
  readonly level: number;
  readonly smallestDifference: number;
  readonly isHigherBetter: boolean;
  /** The logarithms of the values, where they are compared by ratios. */
  readonly isRatio: boolean;
  readonly isShare: boolean;
}

/**
 * The answer for exactly these few cases. Undefined where there are enough of them to speak of others, and where there
 * are no trials to permute.
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

/** The answer on these cases, with a p-value that is corrected for the number of figures. */
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
