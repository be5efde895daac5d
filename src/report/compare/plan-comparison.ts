import { counted } from '../../shared/format.ts';
import { everyRow, mappedRows } from '../../shared/rows.ts';
import { comparePairs } from '../../shared/stats/compare-pairs.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import type { CollectedSide } from './collected-side.ts';
import { compareFigures } from './compare-figures.ts';
import type { DecisionPlan, FigureUnit } from './comparison.ts';
import { decisionPlan, meanTrial } from './decision-plan.ts';
import { type FigureValues, figureValues } from './figure-values.ts';
import { definitionOf, logarithms, smallestDifferenceOf } from './figures.ts';
import { pairCases } from './pair-cases.ts';
import type { UnitKind } from './sample-units.ts';

/** Size of a comparison that finds a difference of the given size. */
export interface ComparisonPlan {
  readonly schema: 'assay.plan/1';
  readonly metric: string;
  readonly unit: FigureUnit;
  readonly difference: number;
  /** That were looked at. */
  readonly cases: number;
  /** The kind of units that the plan counts. */
  readonly unitKind: UnitKind;
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

/** Repeats and cases with which a difference is found with 80 % power, from how trials varied in one run or two. */
export function planComparison(a: CollectedSide, b: CollectedSide | undefined, wanted: Wanted): ComparisonPlan {
  const { metric } = wanted;
  // One run is paired with itself to list its cases; its copy as B is left out below.
  const { pairs } = pairCases(a, b ?? a);
  const values = figureValues(metric, pairs);
  const definition = definitionOf(metric);
  const means = comparePairs(values.cases);
  const difference = wanted.difference ?? smallestDifferenceOf(definition, means?.meanA ?? 0, means?.meanB ?? 0);
  const { distinct, unitKind } = values;
  const base = {
    schema: 'assay.plan/1',
    metric,
    unit: definition.unit,
    difference,
    cases: distinct,
    unitKind,
  } as const;
  if (!means) {
    return { ...base, repeats: 0, plan: null, notes: [`No case has ${metric}${b ? ' on both sides' : ''}.`] };
  }
  const logs = logarithms(values.cases, definition.unit);
  const cases = mappedRows(logs ?? values.cases, ({ b: other, ...one }) => (b ? { ...one, b: other } : one));
  const mean = (Math.abs(means.meanA) + Math.abs(means.meanB)) / 2;
  const planned = {
    cases,
    difference: logs ? Math.log(1 + difference / mean) : difference,
    isShare: definition.unit === 'share',
    isUndecided: b !== undefined && wanted.difference === undefined && isUndecided(metric, pairs),
  };
  const plan = decisionPlan(planned, meanTrial(b ? [a.totals, b.totals] : [a.totals]));
  let repeats = 1e9;
  for (const one of values.cases) repeats = Math.min(repeats, one.a.length, one.b.length);
  return { ...base, repeats, plan, notes: notesOn(values, means.units, repeats, b !== undefined) };
}

function notesOn(values: FigureValues, units: number, repeats: number, hasOther: boolean): string[] {
  const notes: string[] = [];
  if (units < fewestInformative) {
    notes.push(
      `Only ${counted(units, values.unitKind)}: conclusions about others need at least ${fewestInformative} that differ, however many repeats there are.`,
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
        ? 'Each case ran once, so chance and real differences cannot be distinguished, and only the number of cases can be planned.'
        : 'Each case ran once: all variation between cases is attributed to chance, which is an upper bound.',
    );
  }
  if (everyRow(values.cases, ({ a, b }) => [...a, ...b].every((value) => value === a[0]))) {
    notes.push(
      'Nothing varied between the trials, so chance cannot be estimated. The plan assumes that the difference comes from cases that break altogether.',
    );
  }
  return notes;
}

/** As `compare` answers the same question. */
function isUndecided(metric: string, pairs: ReturnType<typeof pairCases>['pairs']): boolean {
  return compareFigures(pairs, { only: [metric] }, null)[0]?.plan !== undefined;
}
