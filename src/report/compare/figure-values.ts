import { type PairedCase, rareFactor } from '../../shared/stats/compare-pairs.ts';
import type { CollectedCase } from './collected-side.ts';
import type { FigureUnit } from './comparison.ts';
import type { CasePair } from './pair-cases.ts';

/** A figure on both sides, pair by pair. */
export interface FigureValues {
  readonly cases: readonly PairedCase[];
  /** Different cases; one under several models, agents or personas is one. */
  readonly distinct: number;
  /** What was sampled: the cases, or the scenarios where there are several. */
  readonly unitKind: 'case' | 'scenario';
  /** The shares of trials on each side that have no value. */
  readonly missing: { readonly a: number; readonly b: number };
}

/** The values of a figure in the cases that have it on both sides. */
export function figureValues(name: string, pairs: readonly CasePair[]): FigureValues {
  const both = pairs.filter(({ a, b }) => a?.figures.has(name) && b?.figures.has(name));
  const scenarios = new Set(both.map(({ scenario }) => scenario));
  const cases = new Set(both.map(({ scenario, caseId }) => JSON.stringify([scenario, caseId])));
  const isByScenario = scenarios.size > 1;
  return {
    cases: both.map(({ scenario, caseId, a, b }) => ({
      unit: isByScenario ? scenario : caseId,
      a: a?.figures.get(name) ?? [],
      b: b?.figures.get(name) ?? [],
    })),
    distinct: cases.size,
    unitKind: isByScenario && scenarios.size < cases.size ? 'scenario' : 'case',
    missing: { a: missingShare(name, pairs, 'a'), b: missingShare(name, pairs, 'b') },
  };
}

/** Of the cases that both sides have; a case that was never judged on one side is missing altogether. */
function missingShare(name: string, pairs: readonly CasePair[], side: 'a' | 'b'): number {
  let [tried, known] = [0, 0];
  for (const pair of pairs) {
    if (!pair.a || !pair.b) continue;
    const one: CollectedCase = pair[side] as CollectedCase;
    tried += one.passed + one.failed + one.unjudged;
    known += one.figures.get(name)?.length ?? 0;
  }
  return tried === 0 ? 0 : (tried - known) / tried;
}

/** The largest difference of logarithms: that of a rare trial and a usual one. */
export const largestLog = Math.log(rareFactor);
/** Ratios nearer to 1 than this are what rounding leaves. */
export const logTolerance = 1e-6;

/**
 * The logarithms of a figure that is compared by ratios: money, time, counts and others without a bound, whose rare large
 * values would drown everything in a mean. Undefined for shares, and where a value has no logarithm; counts may be 0.
 */
export function logarithms(cases: readonly PairedCase[], unit: FigureUnit): PairedCase[] | undefined {
  if (unit === 'share') return undefined;
  const values = cases.flatMap(({ a, b }) => [...a, ...b]);
  const smallest = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const isCount = unit === 'count' || (unit === 'number' && values.every(Number.isInteger));
  const added = isCount && smallest === 0 ? 0.5 : 0;
  if (smallest + added <= 0) return undefined;
  const logs = (each: readonly number[]): number[] => each.map((value) => Math.log(value + added));
  return cases.map(({ unit: sampled, a, b }) => ({ unit: sampled, a: logs(a), b: logs(b) }));
}
