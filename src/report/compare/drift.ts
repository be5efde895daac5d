import { growthAgainst, lowerBound, rankBound, rankIn, stakesAfter } from '../../shared/stats/drift.ts';
import { meanOrNull } from '../../shared/stats/spread.ts';

/** Figures whose drift can be found; of all but the pass rate more is worse. */
export type DriftFigure = 'pass-rate' | 'errors' | 'duration';

/** Values of one period, one for each session: traces of one session are not independent. */
export type PeriodValues = Readonly<Partial<Record<DriftFigure, readonly number[]>>>;

/** The state of one figure after the last period. */
export interface FigureDrift {
  readonly figure: DriftFigure;
  readonly state: 'drift' | 'no-drift' | 'not-enough-data';
  /** Sessions of the reference, and after it. */
  readonly referenceUnits: number;
  readonly units: number;
  /** Means; null without values. */
  readonly reference: number | null;
  readonly current: number | null;
  /** An upper limit of the probability of an evidence like this without a drift; null without values to compare. */
  readonly pValue: number | null;
  /** The share of the rule's error rate that this figure may use. */
  readonly level: number;
  /** Number of the period, from 1, after which the drift was found; null while there is none. */
  readonly atPeriod: number | null;
}

interface DriftQuestion {
  readonly figures: readonly DriftFigure[];
  readonly errorRate: number;
  readonly reference: PeriodValues;
  /** After the reference, in their order. */
  readonly periods: readonly PeriodValues[];
}

/** `pass-rate fell from 91 % to 74 % (p at most 0.003)`. */
export function driftText({ figure, state, reference, current, pValue, referenceUnits, units }: FigureDrift): string {
  if (state === 'not-enough-data')
    return `${figure}: not enough data (${referenceUnits} in the reference, ${units} after it)`;
  const amount = (value: number | null): string =>
    value === null ? '?' : figure === 'duration' ? `${Math.round(value)} ms` : `${(100 * value).toFixed(1)} %`;
  const change = `${amount(reference)} → ${amount(current)}`;
  if (state === 'no-drift') return `${figure}: no drift (${change}; ${units} after ${referenceUnits})`;
  const verb = figure === 'pass-rate' ? 'fell' : 'rose';
  return `${figure} ${verb}: ${change}, probability of a false alarm at most ${pValue?.toPrecision(2)}`;
}

/** Smaller references cannot tell anything about later periods. */
const leastUnits = 20;

/** Whether figures have become worse since the reference. The error rate holds for all of them and all looks together. */
export function findDrift({ figures, errorRate, reference, periods }: DriftQuestion): FigureDrift[] {
  const level = errorRate / figures.length;
  return figures.map((figure) =>
    driftOf(
      figure,
      reference[figure] ?? [],
      periods.map((period) => period[figure] ?? []),
      level,
    ),
  );
}

function driftOf(
  figure: DriftFigure,
  reference: readonly number[],
  periods: readonly (readonly number[])[],
  level: number,
): FigureDrift {
  const later = periods.flat();
  const facts = {
    figure,
    level,
    referenceUnits: reference.length,
    units: later.length,
    reference: meanOrNull(reference),
    current: meanOrNull(later),
  };
  if (reference.length < leastUnits || later.length === 0)
    return { ...facts, state: 'not-enough-data', pValue: null, atPeriod: null };
  // Half of the level is for a reference that is better than its world, half for the periods after it.
  const { bound, goodnessOf } = scaleOf(figure, reference, level / 2);
  const growth = periods.map((values) => growthAgainst(bound, values.map(goodnessOf)));
  const stakes = stakesAfter(growth);
  const highest = stakes.reduce((most, stake) => Math.max(most, stake), 0);
  const first = stakes.findIndex((stake) => stake >= 2 / level);
  const atPeriod = first === -1 ? null : first + 1;
  const pValue = Math.min(1, level / 2 + 1 / Math.max(1, highest));
  return { ...facts, state: atPeriod === null ? 'no-drift' : 'drift', pValue, atPeriod };
}

/** Values from 0 (worst) to 1 (best), and the bound that their mean keeps without a drift. */
function scaleOf(
  figure: DriftFigure,
  reference: readonly number[],
  level: number,
): { readonly bound: number; goodnessOf(value: number): number } {
  if (figure === 'pass-rate' || figure === 'errors') {
    const goodnessOf = figure === 'pass-rate' ? (value: number) => value : (value: number) => 1 - value;
    return { bound: lowerBound(reference.map(goodnessOf), level), goodnessOf };
  }
  const sorted = [...reference].sort((a, b) => a - b);
  return { bound: rankBound(sorted.length, level), goodnessOf: (value) => rankIn(sorted, value) };
}
