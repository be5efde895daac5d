import { counted } from '../shared/numbers.ts';
import { type PairedVariance, pairedVariance, planRepeats, type RepeatedCase } from '../stats/plan-repeats.ts';
import { fewestInformative } from '../stats/sign-test.ts';
import type { CollectedSide } from './collected-side.ts';
import type { DecisionPlan, FigureUnit } from './comparison.ts';
import { meanTrial, withEffort } from './decision-plan.ts';
import { definitionOf, smallestDifferenceOf } from './figure-definitions.ts';
import { pairCases } from './pair-cases.ts';

/** What a comparison would take that finds a difference of the given size. */
export interface ComparisonPlan {
  readonly schema: 'assay.plan/1';
  readonly metric: string;
  readonly unit: FigureUnit;
  readonly difference: number;
  /** That were looked at. */
  readonly cases: number;
  /** Fewest tries of a case. */
  readonly repeats: number;
  /** Null where no case has the figure. */
  readonly plan: DecisionPlan | null;
  readonly notes: readonly string[];
}

interface Wanted {
  readonly metric: string;
  /** In the unit of the figure; the smallest that matters by default. */
  readonly difference?: number | undefined;
}

interface Tried {
  readonly a: readonly number[];
  /** The same as A where there is one run only: the other is taken to vary alike. */
  readonly b: readonly number[];
}

/** Repeats and cases with which a difference is found four times in five, from how trials varied in one run or two. */
export function planComparison(a: CollectedSide, b: CollectedSide | undefined, wanted: Wanted): ComparisonPlan {
  const { metric } = wanted;
  const tried = triedCases(a, b, metric);
  const definition = definitionOf(metric);
  const difference = wanted.difference ?? smallestDifferenceOf(definition, meanOver(tried, 'a'), meanOver(tried, 'b'));
  const repeats = tried.reduce((fewest, one) => Math.min(fewest, one.a.length, one.b.length), Number.MAX_SAFE_INTEGER);
  const known = { schema: 'assay.plan/1', metric, unit: definition.unit, difference, cases: tried.length } as const;
  if (tried.length === 0) {
    return { ...known, repeats: 0, plan: null, notes: [`No case has ${metric}${b ? ' on both sides' : ''}.`] };
  }
  const isTriedOnce = repeats === 1;
  const variance =
    isTriedOnce && !b ? scatterOfCases(tried) : pairedVariance(tried.map((one) => repeatedCase(one, !b)));
  const planned = planRepeats(variance, difference, repeats);
  const areTooFew = tried.length < fewestInformative;
  const plan = {
    repeats: areTooFew || (isTriedOnce && b) ? null : planned.repeats,
    cases: Math.max(fewestInformative, planned.cases),
  };
  const trials = 2 * (plan.repeats === null ? plan.cases * repeats : plan.repeats * tried.length);
  const sides = b ? [a.totals, b.totals] : [a.totals];
  return {
    ...known,
    repeats,
    plan: withEffort(plan, trials, meanTrial(sides)),
    notes: notesOn({ isTriedOnce, hasOther: b !== undefined, areTooFew, cases: tried.length, variance }),
  };
}

function triedCases(a: CollectedSide, b: CollectedSide | undefined, metric: string): Tried[] {
  if (!b) {
    return a.cases.flatMap(({ figures }) => {
      const values = figures.get(metric);
      return values ? [{ a: values, b: values }] : [];
    });
  }
  return pairCases(a, b).pairs.flatMap((pair) => {
    const [before, after] = [pair.a?.figures.get(metric), pair.b?.figures.get(metric)];
    return before && after ? [{ a: before, b: after }] : [];
  });
}

function repeatedCase({ a, b }: Tried, isAlone: boolean): RepeatedCase {
  return {
    difference: isAlone ? 0 : meanOf(b) - meanOf(a),
    varianceA: varianceOf(a),
    varianceB: varianceOf(b),
    repeatsA: a.length,
    repeatsB: b.length,
  };
}

/** With one try each, all that cases differ by may be chance: the most that it can be, on each of two sides. */
function scatterOfCases(tried: readonly Tried[]): PairedVariance {
  const withinCase = 2 * varianceOf(tried.map(({ a }) => meanOf(a)));
  return { cases: tried.length, betweenCases: 0, withinCase };
}

function notesOn(known: {
  readonly isTriedOnce: boolean;
  readonly hasOther: boolean;
  readonly areTooFew: boolean;
  readonly cases: number;
  readonly variance: PairedVariance;
}): string[] {
  const notes: string[] = [];
  if (known.areTooFew) {
    const cases = counted(known.cases, 'case');
    notes.push(
      `There are ${cases}; with fewer than ${fewestInformative} that differ no number of repeats decides anything.`,
    );
  }
  if (!known.hasOther) {
    notes.push(
      'One run does not show how much cases differ in what a change does to them; with two runs the plan counts it.',
    );
  }
  if (known.isTriedOnce) {
    notes.push(
      known.hasOther
        ? 'Each case was tried once, so that chance and difference cannot be told apart, and only the number of cases can be planned.'
        : 'Each case was tried once: all that cases differ by is taken for chance, which is the most that it can be.',
    );
  }
  if (known.variance.withinCase === 0 && known.variance.betweenCases === 0) {
    notes.push('Nothing varied in what was seen, so that the plan is the least that is needed.');
  }
  return notes;
}

function meanOver(tried: readonly Tried[], side: 'a' | 'b'): number {
  return meanOf(tried.map((one) => meanOf(one[side])));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
