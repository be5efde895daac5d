import { type Variant, variantSchema } from '../../domain/trial.ts';
import type { CollectedCase, CollectedSide } from './collected-side.ts';

/** One case on both sides; undefined where a side does not have it. */
export interface CasePair {
  readonly scenario: string;
  readonly caseId: string;
  /** The parts of the variant that both sides share. */
  readonly variant: Readonly<Record<string, string>>;
  readonly a: CollectedCase | undefined;
  readonly b: CollectedCase | undefined;
}

/** A part of the variant in which the sides have nothing in common, and which is therefore what is compared. */
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

const variantParts = Object.keys(variantSchema.shape) as (keyof Variant)[];

/** Puts the cases of two sides together by scenario, case and the parts of the variant that both sides share. */
export function pairCases(a: CollectedSide, b: CollectedSide): PairedSides {
  const compared = comparedParts(a, b);
  const shared = variantParts.filter((part) => !compared.some((other) => other.part === part));
  const [casesA, casesB] = [byKey(a, shared), byKey(b, shared)];
  const keys = [...new Set([...casesA.keys(), ...casesB.keys()])].sort();
  const pairs = keys.flatMap((key): CasePair[] => {
    const [first, second] = [casesA.get(key), casesB.get(key)];
    const known = first ?? second;
    if (!known) return [];
    const { scenario, caseId, variant } = known;
    return [{ scenario, caseId, variant: partsOf(variant, shared), a: first, b: second }];
  });
  return { pairs, compared };
}

function comparedParts(a: CollectedSide, b: CollectedSide): ComparedPart[] {
  if (a.cases.length === 0 || b.cases.length === 0) return [];
  return variantParts.flatMap((part): ComparedPart[] => {
    const [valuesA, valuesB] = [valuesOf(a, part), valuesOf(b, part)];
    const hasCommon = [...valuesA].some((value) => valuesB.has(value));
    return hasCommon ? [] : [{ part, a: [...valuesA], b: [...valuesB] }];
  });
}

function valuesOf({ cases }: CollectedSide, part: keyof Variant): Set<string> {
  return new Set(cases.map(({ variant }) => variant[part] ?? ''));
}

function byKey({ cases }: CollectedSide, shared: readonly (keyof Variant)[]): Map<string, CollectedCase> {
  const found = new Map<string, CollectedCase>();
  for (const one of cases) {
    const key = JSON.stringify([one.scenario, one.caseId, ...shared.map((part) => one.variant[part] ?? '')]);
    const known = found.get(key);
    found.set(key, known ? merged(known, one) : one);
  }
  return found;
}

function merged(first: CollectedCase, second: CollectedCase): CollectedCase {
  const figures = new Map(first.figures);
  for (const [name, values] of second.figures) figures.set(name, [...(figures.get(name) ?? []), ...values]);
  const checks = new Map(first.checks);
  for (const [name, { passed, failed }] of second.checks) {
    const known = checks.get(name) ?? { passed: 0, failed: 0 };
    checks.set(name, { passed: known.passed + passed, failed: known.failed + failed });
  }
  return {
    ...first,
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    unjudged: first.unjudged + second.unjudged,
    figures,
    checks,
    success: first.success ?? second.success,
    failure: first.failure ?? second.failure,
    unjudgedTrial: first.unjudgedTrial ?? second.unjudgedTrial,
  };
}

function partsOf(variant: Variant, parts: readonly (keyof Variant)[]): Record<string, string> {
  return Object.fromEntries(parts.flatMap((part) => (variant[part] === undefined ? [] : [[part, variant[part]]])));
}
