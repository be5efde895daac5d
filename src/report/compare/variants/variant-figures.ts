import { counted } from '../../../shared/format.ts';
import { sumOfRows } from '../../../shared/rows.ts';
import { studentQuantile } from '../../../shared/stats/distributions.ts';
import { type Interval, passRate, type UnitKey } from '../../../shared/stats/pass-rate.ts';
import { amountPerSuccess, meanAmount, type SpendingCase } from '../../../shared/stats/per-success.ts';
import { meanOf, sumOf } from '../../../shared/stats/spread.ts';
import { entryOf } from '../case-numbers.ts';
import { templatesOf } from '../case-rates.ts';
import type { CollectedCase, CollectedSide } from '../collected-side.ts';
import { definitionOf, type FigureOptions } from '../figures.ts';
import { sampleUnits } from '../sample-units.ts';
import type { SpentPerSuccess, VariantFigure } from './variant-table.ts';

interface FigureOfCase {
  readonly unit: UnitKey;
  readonly values: readonly number[];
}

/** A case of a side as its figures need it; the same number is the same case under another variant. */
interface MeasuredCase extends Pick<CollectedCase, 'passed' | 'failed' | 'figures'> {
  readonly caseNumber: number;
  readonly unit: UnitKey;
}

/** A side whose cases were read once for all of its figures. */
export interface MeasuredSide {
  readonly side: CollectedSide;
  readonly cases: readonly MeasuredCase[];
}

/** The unit of each case is found by the same rule as in comparisons. */
export function measuredSide(side: CollectedSide): MeasuredSide {
  const templateOf = templatesOf({ scenarios: side.run.scenarios ?? [] });
  const numbers = new Map<string, number>();
  const cases = Array.from(side.cases, ({ scenario, caseId, cluster, passed, failed, figures }) => {
    const caseNumber = entryOf(numbers, JSON.stringify([scenario, caseId]), () => numbers.size);
    return { ...{ scenario, caseId, cluster, passed, failed, figures, caseNumber }, template: templateOf(scenario) };
  });
  const { unitOf } = sampleUnits(cases);
  return {
    side,
    cases: cases.map((one) => {
      const { passed, failed, figures, caseNumber } = one;
      return { passed, failed, figures, caseNumber, unit: unitOf(one) };
    }),
  };
}

/** A figure of one side with its interval; undefined where no case has it. */
export function variantFigure(name: string, side: MeasuredSide, options: FigureOptions): VariantFigure | undefined {
  const { unit, isHigherBetter } = definitionOf(name, options);
  const cases = casesWith(name, side);
  const values = cases.flatMap((one) => one.values);
  if (values.length === 0) return undefined;
  const isShare = unit === 'share' && values.every((value) => value >= 0 && value <= 1);
  const estimate = isShare ? meanShare(cases) : values.some((value) => value < 0) ? plainMean(cases) : amountOf(cases);
  const distinct = new Set(casesHaving(name, side).map(({ caseNumber }) => caseNumber)).size;
  return { name, unit, isHigherBetter, ...estimate, cases: distinct, trials: values.length };
}

const spendings = [
  { name: 'cost-usd', unit: 'usd' },
  { name: 'tokens', unit: 'count' },
  { name: 'duration-ms', unit: 'ms' },
] as const;

/** Money, tokens or time. */
export type Spending = (typeof spendings)[number];

/** Amounts that some variant spent, and the reason for each that none did. */
export function spendingsOf(sides: readonly MeasuredSide[]): { spent: Spending[]; reasons: string[] } {
  const [spent, reasons]: [Spending[], string[]] = [[], []];
  for (const spending of spendings) {
    const { name } = spending;
    const values = sides.flatMap((side) => casesWith(name, side).flatMap((one) => one.values));
    if (values.some((value) => value > 0)) spent.push(spending);
    else reasons.push(values.length === 0 ? `${name} was not observed in any judged trial` : `${name} was always 0`);
  }
  return { spent, reasons };
}

/** Money, tokens and time per success, each with its value or the reason why there is none. */
export function spentPerSuccess(side: MeasuredSide, spent: readonly Spending[]): SpentPerSuccess[] {
  return spent.map(({ name, unit }) => {
    const reason = reasonForNone(name, side);
    if (reason !== null) return { name, unit, value: null, interval: null, reason };
    const { value, interval } = amountPerSuccess(spendingCases(name, side));
    return { name, unit, value, interval: interval ?? null, reason: value === null ? 'no trial passed' : null };
  });
}

/** Why a side has no mean of what its trials took; null where it has one. */
export function reasonForNone(name: string, side: MeasuredSide): string | null {
  const judged = sumOfRows(side.cases, ({ passed, failed }) => passed + failed);
  if (judged === 0) return 'no trial was judged';
  const missing = missingTrials(name, side);
  return missing === 0 ? null : `${name} was not observed in ${missing} of ${counted(judged, 'judged trial')}`;
}

/** Judged trials that do not have a figure. */
function missingTrials(name: string, { cases }: MeasuredSide): number {
  return sumOfRows(cases, ({ passed, failed, figures }) =>
    Math.max(0, passed + failed - (figures.get(name)?.length ?? 0)),
  );
}

/** Repeats of a single case are a sample of that case: then each trial counts as one. */
function spendingCases(name: string, side: MeasuredSide): SpendingCase[] {
  const judged = casesHaving(name, side);
  if (new Set(judged.map(({ unit }) => unit)).size > 1) {
    return judged.map(({ unit, passed, failed, figures }) => {
      const tried = passed + failed;
      return { unit, spent: meanOf(figures.get(name) ?? []), passed: passed / tried, tried };
    });
  }
  return judged.flatMap(({ figures }, index) =>
    (figures.get(name) ?? []).map((spent, trial) => {
      const passed = figures.get('pass-rate')?.[trial] ?? 0;
      return { unit: `${index} ${trial}`, spent, passed, tried: 1 };
    }),
  );
}

function casesHaving(name: string, { cases }: MeasuredSide): MeasuredCase[] {
  return cases.filter(({ figures }) => figures.has(name));
}

function casesWith(name: string, { cases }: MeasuredSide): FigureOfCase[] {
  return cases.flatMap(({ unit, figures }) => {
    const values = figures.get(name) ?? [];
    return values.length === 0 ? [] : [{ unit, values }];
  });
}

interface Estimate {
  readonly mean: number;
  readonly interval: Interval | undefined;
}

function meanShare(cases: readonly FigureOfCase[]): Estimate {
  const outcomes = cases.map(({ unit, values }) => {
    const sum = sumOf(values);
    return { caseKey: unit, passed: sum, failed: values.length - sum };
  });
  const { rate, interval } = passRate(outcomes);
  return { mean: rate ?? 0, interval: interval ?? undefined };
}

function amountOf(cases: readonly FigureOfCase[]): Estimate {
  return meanAmount(orTrials(cases).map(({ unit, values }) => ({ unit, spent: meanOf(values) })));
}

/** For figures that may be below 0. */
function plainMean(cases: readonly FigureOfCase[]): Estimate {
  const sample = orTrials(cases);
  const mean = meanOf(sample.map(({ values }) => meanOf(values)));
  const byUnit = new Map<UnitKey, number>();
  for (const { unit, values } of sample) byUnit.set(unit, (byUnit.get(unit) ?? 0) + meanOf(values) - mean);
  const units = byUnit.size;
  if (units < 2) return { mean, interval: undefined };
  const squares = [...byUnit.values()].reduce((sum, each) => sum + each ** 2, 0);
  const error = Math.sqrt((squares * units) / (units - 1)) / sample.length;
  const half = studentQuantile(0.95, units - 1) * error;
  return { mean, interval: { low: mean - half, high: mean + half } };
}

/** Cases, or the trials of a single unit. */
function orTrials(cases: readonly FigureOfCase[]): readonly FigureOfCase[] {
  if (new Set(cases.map(({ unit }) => unit)).size > 1) return cases;
  return cases.flatMap(({ values }, index) =>
    values.map((value, trial) => ({ unit: `${index} ${trial}`, values: [value] })),
  );
}
