import type { Interval } from './pass-rate.ts';

/** The values of a case on both sides, and how many each side lost. */
export interface CaseWithLosses {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly lost: { readonly a: number; readonly b: number };
}

interface Found {
  readonly interval: Interval | undefined;
  readonly pValue: number;
}

/** All ways to fill in what was lost are compared where there are no more than these, and no more cases in all of them. */
const mostFillings = 32;
const mostFilledCases = 2_000;

/**
 * Compares shares of which some were lost. Trials are not lost at random, on either side: an answer must hold whatever the
 * lost ones were. With few of them every way to fill them in is compared, otherwise the two that are worst for B and for A.
 */
export function comparedWhateverWasLost<Case extends CaseWithLosses, Result extends Found>(
  cases: readonly Case[],
  compare: (cases: readonly Case[]) => Result | undefined,
): Result | undefined {
  const observed = compare(cases);
  if (!observed || cases.every(({ lost }) => lost.a + lost.b === 0)) return observed;
  const others = fillings(cases).flatMap((filled) => compare(filled) ?? []);
  const intervals = [observed, ...others].map(({ interval }) => interval);
  return {
    ...observed,
    interval: hullOf(intervals),
    pValue: Math.max(observed.pValue, ...others.map(({ pValue }) => pValue)),
  };
}

function hullOf(intervals: readonly (Interval | undefined)[]): Interval | undefined {
  const found = intervals.flatMap((interval) => interval ?? []);
  if (found.length < intervals.length) return undefined;
  return {
    low: Math.min(...found.map(({ low }) => low)),
    high: Math.max(...found.map(({ high }) => high)),
  };
}

function fillings<Case extends CaseWithLosses>(cases: readonly Case[]): Case[][] {
  const ways = cases.reduce((product, { lost }) => product * (lost.a + 1) * (lost.b + 1), 1);
  const isFew = ways <= mostFillings && ways * cases.length <= mostFilledCases;
  return isFew ? everyFilling(cases) : [filled(cases, 1, 0), filled(cases, 0, 1)];
}

function filled<Case extends CaseWithLosses>(cases: readonly Case[], ofA: number, ofB: number): Case[] {
  return cases.map((one) => withValues(one, Array(one.lost.a).fill(ofA), Array(one.lost.b).fill(ofB)));
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
  return { ...one, a: [...one.a, ...ofA], b: [...one.b, ...ofB], lost: { a: 0, b: 0 } };
}
