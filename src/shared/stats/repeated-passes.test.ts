import { describe, expect, it } from 'vitest';
import { passRate, wilson } from './pass-rate.ts';
import { passAtEveryK, passHatEveryK, type TriesOfCase } from './repeated-passes.ts';

const tries = (caseKey: string, passed: number, tried: number): TriesOfCase => ({ caseKey, passed, tried });

describe('pass@k and pass^k', () => {
  it('are the pass rate, with its interval, for one try', () => {
    const cases = [tries('a', 3, 5), tries('b', 5, 5), tries('c', 0, 5), tries('d', 2, 5)];
    const { rate, interval } = passRate(
      cases.map(({ caseKey, passed, tried }) => ({ caseKey, passed, failed: tried - passed })),
    );
    for (const [first] of [passAtEveryK(cases), passHatEveryK(cases)]) {
      expect(first?.value).toBeCloseTo(rate ?? Number.NaN, 12);
      expect(first?.interval.low).toBeCloseTo(interval?.low ?? Number.NaN, 12);
      expect(first?.interval.high).toBeCloseTo(interval?.high ?? Number.NaN, 12);
    }
  });

  it('are never less sure with more tries: 18 of 20 cases always pass, and pass@4 is 100 %', () => {
    const cases = Array.from({ length: 20 }, (_, index) => tries(`c${index}`, [2, 4][index] ?? 5, 5));
    const [atLeastOne, all] = [passAtEveryK(cases), passHatEveryK(cases)];
    const lows = atLeastOne.map(({ interval }) => interval.low);
    const highs = all.map(({ interval }) => interval.high);
    expect(lows).toEqual(lows.toSorted((a, b) => a - b));
    expect(highs).toEqual(highs.toSorted((a, b) => b - a));
    // 20 cases that all passed leave room for one that never does, and so do 19 with one that passes in most tries.
    expect(lows.at(-1)).toBeLessThan(0.86);
    for (const { value, interval } of [...atLeastOne, ...all]) {
      expect(interval.low).toBeLessThanOrEqual(value);
      expect(interval.high).toBeGreaterThanOrEqual(value);
    }
  });

  it('of one case under two variants rest on its pass rate, which all its tries are a sample of', () => {
    const [, , third] = passHatEveryK([tries('a', 3, 3), tries('a', 3, 3)]);
    const { low } = wilson(6, 6);
    expect(third).toMatchObject({ k: 3, value: 1 });
    expect(third?.interval.low).toBeCloseTo(low ** 3, 12);
  });

  it('are not known where a case was never judged', () => {
    expect(passAtEveryK([tries('a', 1, 2), tries('b', 0, 0)])).toEqual([]);
  });
});
