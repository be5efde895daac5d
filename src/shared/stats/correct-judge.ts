import { mappedRows, type Rows, sumOfRows } from '../rows.ts';
import { comparePairs, type PairedComparison, type PairedOptions } from './compare-pairs.ts';
import { normalQuantile } from './distributions.ts';
import { type Interval, type UnitKey, wilson } from './pass-rate.ts';

/** How often a judge was wrong where people labelled what it judged. */
export interface JudgeErrors {
  /** Passed by the judge, of those that people failed. */
  readonly falsePasses: { readonly count: number; readonly of: number };
  /** Failed by the judge, of those that people passed. */
  readonly falseFails: { readonly count: number; readonly of: number };
}

/** Trials of a case on one side; those that no judge decided are taken as they are. */
export interface VerdictCounts {
  readonly trials: number;
  readonly passed: number;
  /** Trials whose ending a judge decided, by the judge. */
  readonly judged: Iterable<readonly [judge: string, tally: { readonly passed: number; readonly failed: number }]>;
}

export interface VerdictPair {
  readonly unit: UnitKey;
  readonly a: VerdictCounts;
  readonly b: VerdictCounts;
}

interface Rates {
  readonly falsePass: number;
  readonly falseFail: number;
}

type RatesOf = (judge: string) => Rates;

/** The least by which the chances of a pass differ between what people pass and fail; 0 or less: it may as well guess. */
export function leastDiscrimination({ falsePasses, falseFails }: JudgeErrors): number {
  return 1 - wilson(falsePasses.count, falsePasses.of).high - wilson(falseFails.count, falseFails.of).high;
}

/**
 * The difference of pass rates as people would have judged, if the judge errs alike on both sides (Rogan and Gladen
 * 1978). The interval also holds the uncertainty of the error rates: distances to the limits add up by their squares
 * (Zou and Donner 2008). Undefined without a single pair.
 */
export function correctedComparison(
  pairs: Rows<VerdictPair>,
  errors: ReadonlyMap<string, JudgeErrors>,
  options: PairedOptions = {},
): PairedComparison | undefined {
  const level = options.level ?? 0.05;
  const ratesOf = (judge: string): Rates => estimated(errors.get(judge));
  const largestDifference = Math.max(1, ...[...errors.keys()].map((judge) => 1 / discrimination(ratesOf(judge))));
  const at = (wanted: number) =>
    comparePairs(corrected(pairs, ratesOf), { ...options, largestDifference, level: wanted });
  const found = at(level);
  if (!found) return undefined;
  const intervalAt = (wanted: number): Interval | undefined => {
    const base = at(wanted)?.interval;
    if (!base) return undefined;
    const { below, above } = calibrationPadding(pairs, errors, ratesOf, found.difference, wanted);
    const low = found.difference - Math.hypot(found.difference - base.low, below);
    const high = found.difference + Math.hypot(base.high - found.difference, above);
    return { low: Math.max(-1, low), high: Math.min(1, high) };
  };
  const share = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    ...found,
    meanA: share(found.meanA),
    meanB: share(found.meanB),
    interval: intervalAt(level),
    pValue: smallestLevel((wanted) => excludesZero(intervalAt(wanted))),
  };
}

function estimated(errors: JudgeErrors | undefined): Rates {
  if (!errors) return { falsePass: 0, falseFail: 0 };
  const { falsePasses, falseFails } = errors;
  return { falsePass: falsePasses.count / falsePasses.of, falseFail: falseFails.count / falseFails.of };
}

function discrimination({ falsePass, falseFail }: Rates): number {
  return 1 - falsePass - falseFail;
}

/** One value for each case and side: its pass rate without the judge's errors. */
function corrected(pairs: Rows<VerdictPair>, ratesOf: RatesOf) {
  return mappedRows(pairs, ({ unit, a, b }) => ({
    unit,
    a: [correctedRate(a, ratesOf)],
    b: [correctedRate(b, ratesOf)],
  }));
}

function correctedRate({ trials, passed, judged }: VerdictCounts, ratesOf: RatesOf): number {
  let sum = passed;
  for (const [judge, counts] of judged) {
    const rates = ratesOf(judge);
    const all = counts.passed + counts.failed;
    sum += (counts.passed - rates.falsePass * all) / discrimination(rates) - counts.passed;
  }
  return sum / trials;
}

function differenceWith(pairs: Rows<VerdictPair>, ratesOf: RatesOf): number {
  return sumOfRows(pairs, ({ a, b }) => correctedRate(b, ratesOf) - correctedRate(a, ratesOf)) / pairs.length;
}

/** How far the difference moves when each error rate is at a limit of its interval. */
function calibrationPadding(
  pairs: Rows<VerdictPair>,
  errors: ReadonlyMap<string, JudgeErrors>,
  ratesOf: RatesOf,
  difference: number,
  level: number,
): { readonly below: number; readonly above: number } {
  const z = normalQuantile(1 - level / 2);
  let [below, above] = [0, 0];
  for (const [judge, { falsePasses, falseFails }] of errors) {
    for (const [kind, { count, of }] of [['falsePass', falsePasses] as const, ['falseFail', falseFails] as const]) {
      const { low, high } = wilson(count, of, z);
      const moved = [low, high].map((rate) => {
        const changed = { ...ratesOf(judge), [kind]: rate };
        // A judge that may as well guess says nothing: beyond a level its limits are kept where they still do.
        const isUsable = discrimination(changed) > leastUsable;
        return isUsable ? differenceWith(pairs, (each) => (each === judge ? changed : ratesOf(each))) : 2 * difference;
      });
      below = Math.hypot(below, Math.max(0, difference - Math.min(...moved)));
      above = Math.hypot(above, Math.max(0, Math.max(...moved) - difference));
    }
  }
  return { below, above };
}

const leastUsable = 0.01;

function excludesZero(interval: Interval | undefined): boolean {
  return interval !== undefined && (interval.low > 0 || interval.high < 0);
}

const smallest = 1e-12;

/** The smallest level at which something holds, to three digits; 1 where it never does. */
function smallestLevel(holds: (level: number) => boolean): number {
  if (holds(smallest)) return smallest;
  let [below, above] = [Math.log(smallest), 0];
  if (!holds(0.999)) return 1;
  while (above - below > 1e-3) {
    const middle = (below + above) / 2;
    if (holds(Math.exp(middle))) above = middle;
    else below = middle;
  }
  return Math.exp(above);
}
