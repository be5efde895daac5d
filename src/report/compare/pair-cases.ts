import type { Variant } from '../../domain/variant.ts';
import { variantParts } from '../../domain/variant.ts';
import { entryOf } from './case-numbers.ts';
import { templatesOf } from './case-rates.ts';
import { type CasePair, type CheckTally, type CollectedCase, type CollectedSide, triedOf } from './collected-side.ts';

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
  const templateOf = commonTemplates(a, b);
  const pairs: CasePair[] = [];
  let caseNumber = 0;
  for (const scenario of sortedKeys(casesA, casesB)) {
    const template = templateOf(scenario);
    const [ofA = noVariants, ofB = noVariants] = [casesA.get(scenario), casesB.get(scenario)];
    const variants = sortedKeys(ofA, ofB).map((variant) => [ofA.get(variant), ofB.get(variant)] as const);
    for (const caseId of sortedKeys(...variants.flat().flatMap((cases) => cases ?? []))) {
      caseNumber++;
      for (const [before, after] of variants) {
        const [first, second] = withLost(a, before?.get(caseId), b, after?.get(caseId));
        const either = first ?? second;
        if (!either) continue;
        const cluster = first?.cluster ?? second?.cluster;
        const variant = sharedParts(either.variant);
        // Without a spread, which makes objects of four times the size.
        pairs.push({ scenario, caseId, caseNumber, variant, cluster, template, a: first, b: second });
      }
    }
  }
  return { pairs, compared };
}

type OnSide = CollectedCase | undefined;

/** A case that only one side has is lost on the other if that lacks cases which it planned. */
function withLost(a: CollectedSide, ofA: OnSide, b: CollectedSide, ofB: OnSide): readonly [OnSide, OnSide] {
  return [ofA ?? (a.lacksCases ? lostCase(ofB) : undefined), ofB ?? (b.lacksCases ? lostCase(ofA) : undefined)];
}

function lostCase(other: OnSide): OnSide {
  if (!other) return undefined;
  const nothing = { figures: new Map(), checks: new Map(), verdicts: new Map(), success: null, failure: null };
  return { ...other, ...nothing, passed: 0, failed: 0, unjudged: triedOf(other), unjudgedTrial: null };
}

/** Templates of both sides by scenario: cases are of one source where they are so on both. */
function commonTemplates(a: CollectedSide, b: CollectedSide): (scenario: string) => string | undefined {
  const sides = [a, b].map(({ run }) => templatesOf({ scenarios: run.scenarios ?? [] }));
  return (scenario) => {
    const found = sides.flatMap((templateOf) => templateOf(scenario) ?? []);
    return found.length === 0 ? undefined : [...new Set(found)].join();
  };
}

/** Cases by their ids, by the parts of the variant that both sides share. */
type CasesByVariant = ReadonlyMap<string, ReadonlyMap<string, CollectedCase>>;

const noVariants: CasesByVariant = new Map();

/** The keys of all of them, each once. */
function sortedKeys(...maps: readonly ReadonlyMap<string, unknown>[]): string[] {
  const keys = new Set<string>();
  for (const map of maps) for (const key of map.keys()) keys.add(key);
  return [...keys].sort();
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

/** By scenario, shared parts of the variant and case: with another text for each of very many cases it takes twice the memory. */
function byKey({ cases }: CollectedSide, shared: readonly (keyof Variant)[]): ReadonlyMap<string, CasesByVariant> {
  const found = new Map<string, Map<string, Map<string, CollectedCase>>>();
  // Quoted: no name can look like two.
  const keyOf = rememberedFor((variant: Variant) => JSON.stringify(shared.map((part) => variant[part] ?? '')));
  for (const one of cases) {
    const ofScenario = entryOf(found, one.scenario, () => new Map<string, Map<string, CollectedCase>>());
    const ofVariant = entryOf(ofScenario, keyOf(one.variant), () => new Map<string, CollectedCase>());
    const existing = ofVariant.get(one.caseId);
    ofVariant.set(one.caseId, existing ? merged(existing, one) : one);
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
