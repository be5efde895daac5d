import { studentQuantile } from './distributions.ts';
import { type Interval, passRate, type UnitKey } from './pass-rate.ts';
import { meanOf } from './spread.ts';

/** The means of one case under one variant. */
export interface SpendingCase {
  /** The sampled unit: the case, or its scenario where several have their own cases. */
  readonly unit: UnitKey;
  /** Mean of what its trials took, such as dollars; never below 0. */
  readonly spent: number;
  /** Share of its trials that passed. */
  readonly passed: number;
  readonly tried: number;
}

/** An amount for each success. */
export interface PerSuccess {
  /** Null where nothing passed: then no amount was enough. */
  readonly value: number | null;
  /** 95 %, for cases like these; `high` is null where it has no upper end. Undefined with a single unit. */
  readonly interval: { readonly low: number; readonly high: number | null } | undefined;
}

/** A mean of amounts and its 95 % interval, undefined with a single unit. */
export interface MeanAmount {
  readonly mean: number;
  readonly interval: Interval | undefined;
}

/**
 * The mean of amounts that cannot be below 0, such as cost. Its interval is symmetric on the scale of ratios, because
 * amounts are skewed. The variance counts two further units as large as the largest: a sample of skewed amounts shows too
 * little of what the rare large ones do to the mean.
 */
export function meanAmount(cases: readonly Pick<SpendingCase, 'unit' | 'spent'>[]): MeanAmount {
  const mean = meanOf(cases.map(({ spent }) => spent));
  const deviations = deviationsOf(cases, ({ spent }) => (mean === 0 ? 0 : spent / mean - 1));
  if (deviations.length < 2) return { mean, interval: undefined };
  const reach = Math.exp(reachOf(deviations));
  return { mean, interval: { low: mean / reach, high: mean * reach } };
}

/**
 * Amount per success: the mean amount of a case divided by the mean share that passes. The interval is put together
 * from those of both means on the scale of logarithms, with their correlation (MOVER, Donner and Zou 2012). Simulated, it
 * covers better than the delta method, Fieller's theorem and bootstraps, and it stays usable where few trials pass.
 */
export function amountPerSuccess(cases: readonly SpendingCase[]): PerSuccess {
  const amount = meanOf(cases.map(({ spent }) => spent));
  const share = meanOf(cases.map(({ passed }) => passed));
  const value = share === 0 ? null : amount / share;
  const ofAmount = deviationsOf(cases, ({ spent }) => (amount === 0 ? 0 : spent / amount - 1));
  if (ofAmount.length < 2) return { value, interval: undefined };
  const reach = reachOf(ofAmount);
  const rate = passRateInterval(cases);
  if (value === null) return { value, interval: { low: amount / Math.exp(reach) / rate.high, high: null } };
  const ofShare = deviationsOf(cases, ({ passed }) => passed / share - 1);
  const alike = correlation(ofAmount, ofShare);
  const joined = (ofRate: number): number =>
    Math.exp(Math.sqrt(Math.max(0, reach ** 2 + ofRate ** 2 - 2 * alike * reach * ofRate)));
  return {
    value,
    interval: { low: value / joined(Math.log(rate.high / share)), high: value * joined(Math.log(share / rate.low)) },
  };
}

function passRateInterval(cases: readonly SpendingCase[]): Interval {
  const outcomes = cases.map(({ unit, passed, tried }) => ({
    caseKey: unit,
    passed: passed * tried,
    failed: (1 - passed) * tried,
  }));
  return passRate(outcomes).interval ?? { low: 0, high: 1 };
}

/** By unit: how far it pulls the mean away; cases of one unit are not independent of each other. */
function deviationsOf<Case extends { readonly unit: UnitKey }>(
  cases: readonly Case[],
  deviation: (one: Case) => number,
): number[] {
  const sums = new Map<UnitKey, number>();
  for (const one of cases) sums.set(one.unit, (sums.get(one.unit) ?? 0) + deviation(one));
  return [...sums.values()].map((sum) => (sum * sums.size) / cases.length);
}

/** Half of the interval of a mean, as a logarithm. */
function reachOf(deviations: readonly number[]): number {
  const squares = deviations.reduce((sum, each) => sum + each ** 2, 0);
  if (squares === 0) return 0;
  const further = deviations.reduce((sum, each) => sum + each ** 4, 0) / squares;
  const count = deviations.length + 2;
  const error = Math.sqrt((squares + 2 * further) / (count - 1) / count);
  return studentQuantile(0.95, deviations.length - 1) * error;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    ab += value * other;
    aa += value ** 2;
    bb += other ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}
