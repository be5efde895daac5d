import { counted } from '../../../shared/format.ts';
import { filteredRows, type Rows, sumOfRows } from '../../../shared/rows.ts';
import { studentQuantile } from '../../../shared/stats/distributions.ts';
import { type Interval, passRate, type UnitKey } from '../../../shared/stats/pass-rate.ts';
import { amountPerSuccess, meanAmount, type SpendingCase } from '../../../shared/stats/per-success.ts';
import { meanOf, sumOf } from '../../../shared/stats/spread.ts';
import { templatesOf } from '../case-rates.ts';
import type { CollectedCase, CollectedSide } from '../collected-side.ts';
import { definitionOf, type FigureOptions } from '../figures.ts';
import { sampleUnits } from '../sample-units.ts';
import type { SpentPerSuccess, VariantFigure } from './variant-table.ts';

interface FigureOfCase {
  readonly unit: UnitKey;
  readonly values: readonly number[];
}

/** A figure of one side with its interval; undefined where no case has it. */
export function variantFigure(name: string, side: CollectedSide, options: FigureOptions): VariantFigure | undefined {
  const { unit, isHigherBetter } = definitionOf(name, options);
  const cases = casesWith(name, side);
  const values = cases.flatMap((one) => one.values);
  if (values.length === 0) return undefined;
  const isShare = unit === 'share' && values.every((value) => value >= 0 && value <= 1);
  const estimate = isShare ? meanShare(cases) : values.some((value) => value < 0) ? plainMean(cases) : amountOf(cases);
  const distinct = new Set(Array.from(casesHaving(name, side), caseKey)).size;
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
export function spendingsOf(sides: readonly CollectedSide[]): { spent: Spending[]; reasons: string[] } {
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
export function spentPerSuccess(side: CollectedSide, spent: readonly Spending[]): SpentPerSuccess[] {
  return spent.map(({ name, unit }) => {
    const reason = reasonForNone(name, side);
    if (reason !== null) return { name, unit, value: null, interval: null, reason };
    const { value, interval } = amountPerSuccess(spendingCases(name, side));
    return { name, unit, value, interval: interval ?? null, reason: value === null ? 'no trial passed' : null };
  });
}

/** Why a side has no mean of what its trials took; null where it has one. */
export function reasonForNone(name: string, side: CollectedSide): string | null {
  const judged = sumOfRows(side.cases, ({ passed, failed }) => passed + failed);
  if (judged === 0) return 'no trial was judged';
  const missing = missingTrials(name, side);
  return missing === 0 ? null : `${name} was not observed in ${missing} of ${counted(judged, 'judged trial')}`;
}

/** Judged trials that do not have a figure. */
function missingTrials(name: string, { cases }: CollectedSide): number {
  return sumOfRows(cases, ({ passed, failed, figures }) =>
    Math.max(0, passed + failed - (figures.get(name)?.length ?? 0)),
  );
}

/** Repeats of a single case are a sample of that case: then each trial counts as one. */
function spendingCases(name: string, side: CollectedSide): SpendingCase[] {
  const unitOf = unitsOf(side);
  const judged = [...casesHaving(name, side)];
  if (new Set(judged.map(unitOf)).size > 1) {
    return judged.map((one) => {
      const tried = one.passed + one.failed;
      return { unit: unitOf(one), spent: meanOf(one.figures.get(name) ?? []), passed: one.passed / tried, tried };
    });
  }
  return judged.flatMap(({ figures }, index) =>
    (figures.get(name) ?? []).map((spent, trial) => {
      const passed = figures.get('pass-rate')?.[trial] ?? 0;
      return { unit: `${index} ${trial}`, spent, passed, tried: 1 };
    }),
  );
}

function casesHaving(name: string, { cases }: CollectedSide): Rows<CollectedCase> {
  return filteredRows(cases, ({ figures }) => figures.has(name));
}

function casesWith(name: string, side: CollectedSide): FigureOfCase[] {
  const unitOf = unitsOf(side);
  return [...side.cases].flatMap((one) => {
    const values = one.figures.get(name) ?? [];
    return values.length === 0 ? [] : [{ unit: unitOf(one), values }];
  });
}

/** The unit of each case, by the same rule as in comparisons. */
function unitsOf({ run, cases }: CollectedSide): (one: CollectedCase) => UnitKey {
  const templateOf = templatesOf({ scenarios: run.scenarios ?? [] });
  const withTemplate = ({ scenario, caseId, cluster }: CollectedCase) => ({
    ...{ scenario, caseId, cluster },
    template: templateOf(scenario),
  });
  const { unitOf } = sampleUnits(Array.from(cases, withTemplate));
  return (one) => unitOf(withTemplate(one));
}

function caseKey({ scenario, caseId }: CollectedCase): string {
  return JSON.stringify([scenario, caseId]);
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
