import { everyRow, mappedRows, type Rows } from '../rows.ts';
import type { Interval } from './pass-rate.ts';

/** The values of a case on both sides, and how many each side lost. */
export interface CaseWithLosses {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly lost: { readonly a: number; readonly b: number };
}

interface Found {
  readonly difference: number;
  readonly interval: Interval | undefined;
  readonly pValue: number;
}

/** All ways to fill in what was lost are compared where there are no more than these, and no more cases in all of them. */
const mostFillings = 32;
const mostFilledCases = 2_000;

/**
 * Compares shares of which some were lost. Trials are not lost at random, on either side: an answer must hold whatever the
 * lost ones were. With few of them every way to fill them in is compared. Otherwise the two that are worst for B and for A
 * bound the difference, and the one in which cases vary most bounds how far an interval reaches from it.
 */
export function comparedWhateverWasLost<Case extends CaseWithLosses, Result extends Found>(
  cases: Rows<Case>,
  compare: (cases: Rows<Case>) => Result | undefined,
  most = mostFillings,
): Result | undefined {
  const observed = compare(cases);
  const { fillings, isFew } = fillingsOf(cases, most);
  if (!observed || fillings.length === 0) return observed;
  const all = [observed, ...fillings.flatMap((filling) => compare(filling) ?? [])];
  const interval = isFew ? hullOf(all) : reachOf(all);
  const pValue = Math.max(...all.map((found) => found.pValue));
  // Between fillings that differ in their answer there is one without a difference.
  return { ...observed, interval, pValue: isFew || !holdsNone(interval) ? pValue : 1 };
}

/** Ways to fill in what was lost: all of them where they are few, and none where nothing was lost. */
export function fillingsOf<Case extends CaseWithLosses>(
  cases: Rows<Case>,
  most = mostFillings,
): { readonly fillings: readonly Rows<Case>[]; readonly isFew: boolean } {
  if (everyRow(cases, ({ lost }) => lost.a + lost.b === 0)) return { fillings: [], isFew: true };
  let ways = 1;
  for (const { lost } of cases) ways *= (lost.a + 1) * (lost.b + 1);
  const isFew = ways <= most && ways * cases.length <= mostFilledCases;
  return {
    fillings: isFew ? everyFilling([...cases]) : [filled(cases, 1, 0), filled(cases, 0, 1), mostVaried(cases)],
    isFew,
  };
}

function hullOf(all: readonly Found[]): Interval | undefined {
  const found = all.flatMap(({ interval }) => interval ?? []);
  if (found.length < all.length) return undefined;
  return {
    low: Math.min(...found.map(({ low }) => low)),
    high: Math.max(...found.map(({ high }) => high)),
  };
}

/** From the smallest to the largest difference, and beyond them as far as any of the intervals reaches. */
function reachOf(all: readonly Found[]): Interval | undefined {
  const hull = hullOf(all);
  if (!hull) return undefined;
  const differences = all.map(({ difference }) => difference);
  const below = Math.max(...all.map(({ difference, interval = hull }) => difference - interval.low));
  const above = Math.max(...all.map(({ difference, interval = hull }) => interval.high - difference));
  return { low: Math.min(...differences) - below, high: Math.max(...differences) + above };
}

function holdsNone(interval: Interval | undefined): boolean {
  return !interval || (interval.low <= 0 && interval.high >= 0);
}

function filled<Case extends CaseWithLosses>(cases: Rows<Case>, ofA: number, ofB: number): Rows<Case> {
  return mappedRows(cases, (one) => withValues(one, Array(one.lost.a).fill(ofA), Array(one.lost.b).fill(ofB)));
}

/** As many passes as failures in every case, as far as what was lost allows. */
function mostVaried<Case extends CaseWithLosses>(cases: Rows<Case>): Rows<Case> {
  return mappedRows(cases, (one) => withValues(one, evened(one.a, one.lost.a), evened(one.b, one.lost.b)));
}

function evened(values: readonly number[], lost: number): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  const passes = Math.min(lost, Math.max(0, Math.round((values.length + lost) / 2 - sum)));
  return Array.from({ length: lost }, (_, index) => Number(index < passes));
}

function everyFilling<Case extends CaseWithLosses>(cases: readonly Case[]): Case[][] {
  return cases.reduce<Case[][]>(
    (begun, one) => {
      const ways = waysToFill(one);
      return begun.flatMap((before) => ways.map((way) => [...before, way]));
    },
    [[]],
  );
}

/** Which of the lost trials passed does not matter, only how many. */
function waysToFill<Case extends CaseWithLosses>(one: Case): Case[] {
  const { lost } = one;
  if (lost.a + lost.b === 0) return [one];
  return endingsOf(lost.a).flatMap((ofA) => endingsOf(lost.b).map((ofB) => withValues(one, ofA, ofB)));
}

function endingsOf(count: number): number[][] {
  return Array.from({ length: count + 1 }, (_, passed) =>
    Array.from({ length: count }, (_unused, index) => Number(index < passed)),
  );
}

function withValues<Case extends CaseWithLosses>(one: Case, ofA: readonly number[], ofB: readonly number[]): Case {
  if (ofA.length + ofB.length === 0) return one;
  return { ...one, a: [...one.a, ...ofA], b: [...one.b, ...ofB], lost: { a: 0, b: 0 } };
}
