import { sumOf } from '../../domain/costs.ts';
import { counted } from '../../shared/format.ts';
import { comparePairs, type PairedCase } from '../../shared/stats/compare-pairs.ts';
import { pairedVariance, planRepeats, type RepeatPlan } from '../../shared/stats/plan-repeats.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import type { CollectedSide, SideTotals } from './collected-side.ts';
import { compareFigures } from './compare-figures.ts';
import type { DecisionPlan, FigureUnit } from './comparison.ts';
import { definitionOf, type FigureValues, figureValues, logarithms, smallestDifferenceOf } from './figures.ts';
import { pairCases } from './pair-cases.ts';

/** What a trial of the two sides took on average; null where none was run. */
export interface MeanTrial {
  readonly costUsd: number | null;
  readonly durationMs: number | null;
}

/** One trial of A and one of B, halved; null where a side did not report all of it. */
export function meanTrial(sides: readonly Pick<SideTotals, 'tried'>[]): MeanTrial | null {
  const tried = sides.map((side) => side.tried).filter(({ trials }) => trials > 0);
  if (tried.length === 0) return null;
  const meanOf = (pick: (totals: SideTotals['tried']) => number | null): number | null =>
    scaled(sumOf(tried.map((totals) => scaled(pick(totals), 1 / totals.trials))), 1 / tried.length);
  return { costUsd: meanOf(({ costUsd }) => costUsd), durationMs: meanOf(({ durationMs }) => durationMs) };
}

/** What a plan starts from. */
interface PlannedFigure {
  /** With the trials of A alone where there is one run only. */
  readonly cases: readonly (Omit<PairedCase, 'b'> & Partial<PairedCase>)[];
  readonly difference: number;
  readonly isShare: boolean;
  /** Whether all that there is did not decide it: then it takes more than there is. */
  readonly isUndecided: boolean;
}

/** The one plan of `compare` and `plan-repeats`: what it takes to see a difference four times in five. */
export function decisionPlan(
  { cases, difference, isShare, isUndecided }: PlannedFigure,
  trial: MeanTrial | null,
): DecisionPlan {
  const repeats = cases.reduce(
    (fewest, { a, b }) => Math.min(fewest, a.length, (b ?? a).length),
    Number.MAX_SAFE_INTEGER,
  );
  const seen = pairedVariance(cases);
  const planned = planRepeats(seen, difference, repeats, isShare);
  const plan = isUndecided
    ? {
        repeats: planned.repeats === null ? null : moreThan(planned.repeats, repeats),
        cases: moreThan(planned.cases, seen.units),
      }
    : planned;
  const perUnit = cases.length / Math.max(1, seen.units);
  const trials = 2 * (plan.repeats === null ? plan.cases * perUnit * repeats : plan.repeats * cases.length);
  return withEffort(plan, Math.ceil(trials), trial);
}

/** A plan with what so many trials would take. */
function withEffort(plan: RepeatPlan, trials: number, trial: MeanTrial | null): DecisionPlan {
  if (!Number.isFinite(trials)) return { ...plan, trials: null, costUsd: null, durationMs: null };
  return {
    ...plan,
    trials,
    costUsd: trial && scaled(trial.costUsd, trials),
    durationMs: trial && scaled(trial.durationMs, trials),
  };
}

function scaled(figure: number | null, factor: number): number | null {
  return figure === null ? null : figure * factor;
}

/** The plan holds on average; where there is as much as it asks for and still no answer, it takes twice of it. */
function moreThan(planned: number, had: number): number {
  return planned > had ? planned : had * 2;
}

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

/** Repeats and cases with which a difference is found four times in five, from how trials varied in one run or two. */
export function planComparison(a: CollectedSide, b: CollectedSide | undefined, wanted: Wanted): ComparisonPlan {
  const { metric } = wanted;
  // One run is paired with itself to know its cases; what it has of B is left out below.
  const { pairs } = pairCases(a, b ?? a);
  const values = figureValues(metric, pairs);
  const definition = definitionOf(metric);
  const means = comparePairs(values.cases);
  const difference = wanted.difference ?? smallestDifferenceOf(definition, means?.meanA ?? 0, means?.meanB ?? 0);
  const known = { schema: 'assay.plan/1', metric, unit: definition.unit, difference, cases: values.distinct } as const;
  if (!means) {
    return { ...known, repeats: 0, plan: null, notes: [`No case has ${metric}${b ? ' on both sides' : ''}.`] };
  }
  const logs = logarithms(values.cases, definition.unit);
  const cases = (logs ?? values.cases).map(({ b: other, ...one }) => (b ? { ...one, b: other } : one));
  const mean = (Math.abs(means.meanA) + Math.abs(means.meanB)) / 2;
  const planned = {
    cases,
    difference: logs ? Math.log(1 + difference / mean) : difference,
    isShare: definition.unit === 'share',
    isUndecided: b !== undefined && wanted.difference === undefined && isUndecided(metric, pairs),
  };
  const plan = decisionPlan(planned, meanTrial(b ? [a.totals, b.totals] : [a.totals]));
  const repeats = values.cases.reduce((fewest, one) => Math.min(fewest, one.a.length, one.b.length), 1e9);
  return { ...known, repeats, plan, notes: notesOn(values, means.units, repeats, b !== undefined) };
}

/** As `compare` answers the same question. */
function isUndecided(metric: string, pairs: ReturnType<typeof pairCases>['pairs']): boolean {
  return compareFigures(pairs, { only: [metric] }, null)[0]?.plan !== undefined;
}

function notesOn(values: FigureValues, units: number, repeats: number, hasOther: boolean): string[] {
  const notes: string[] = [];
  if (units < fewestInformative) {
    notes.push(
      `There are ${counted(units, values.unitKind)}; with fewer than ${fewestInformative} that differ no number of repeats says anything about others.`,
    );
  }
  if (!hasOther) {
    notes.push(
      'One run does not show how much cases differ in what a change does to them. The plan assumes that cases which always end alike stay as they are, or break altogether; two runs show it.',
    );
  }
  if (repeats === 1) {
    notes.push(
      hasOther
        ? 'Each case was tried once, so that chance and difference cannot be told apart, and only the number of cases can be planned.'
        : 'Each case was tried once: all that cases differ by is taken for chance, which is the most that it can be.',
    );
  }
  if (values.cases.every(({ a, b }) => [...a, ...b].every((value) => value === a[0]))) {
    notes.push(
      'Nothing varied in what was seen, so that chance cannot be estimated. The plan assumes that the difference is as many cases that break altogether.',
    );
  }
  return notes;
}
