import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import { passRate, passRateOfSingles, wilson } from './pass-rate.ts';

describe('passRate', () => {
  it('counts each case once, however often it was repeated', () => {
    const found = passRate([
      { caseKey: 'often', passed: 0, failed: 90 },
      { caseKey: 'once', passed: 1, failed: 0 },
    ]);
    expect(found).toMatchObject({ rate: 0.5, cases: 2, trials: 91, passed: 1 });
  });

  it('is the interval of Wilson for one trial of each case', () => {
    const cases = Array.from({ length: 20 }, (_, index) => ({
      caseKey: `${index}`,
      passed: index < 15 ? 1 : 0,
      failed: index < 15 ? 0 : 1,
    }));
    expect(passRate(cases).interval).toEqual(wilson(15, 20));
  });

  it('learns nothing about other cases from repeats that end alike', () => {
    const all = (repeats: number) =>
      Array.from({ length: 20 }, (_, index) => ({ caseKey: `${index}`, passed: repeats, failed: 0 }));
    const [once, often] = [passRate(all(1)).interval, passRate(all(50)).interval];
    expect(often?.low).toBeLessThanOrEqual(once?.low ?? 0);
    expect(often?.high).toBe(1);
  });

  it('takes the same case under several models for one case', () => {
    const under = (keyOf: (index: number) => string) =>
      Array.from({ length: 30 }, (_, index) => {
        const passed = index % 3 === 0 ? 0 : 1;
        return { caseKey: keyOf(index), passed, failed: 1 - passed };
      });
    const [three, thirty] = [passRate(under((index) => `${index % 3}`)), passRate(under(String))];
    expect(three).toMatchObject({ rate: 2 / 3, cases: 3, trials: 30 });
    const width = ({ interval }: typeof three): number => (interval?.high ?? 0) - (interval?.low ?? 0);
    expect(width(three)).toBeGreaterThan(2 * width(thirty));
  });

  it('leaves out what was not judged, and says nothing where nothing was', () => {
    expect(passRate([{ caseKey: 'a', passed: 0, failed: 0 }])).toEqual({
      rate: null,
      interval: null,
      cases: 0,
      trials: 0,
      passed: 0,
    });
  });

  it('covers the rate of all cases that there could be, in 93 to 97 of 100 runs', () => {
    const random = seededRandom(7);
    let covered = 0;
    const runs = 1_000;
    for (let run = 0; run < runs; run++) {
      const cases = Array.from({ length: 20 }, (_, index) => {
        // A third of the cases always fails, the others pass nine times in ten: 60 % on the whole.
        const chance = random() < 1 / 3 ? 0 : 0.9;
        const passed = Array.from({ length: 5 }, () => random() < chance).filter(Boolean).length;
        return { caseKey: `${index}`, passed, failed: 5 - passed };
      });
      const { interval } = passRate(cases);
      if (interval && interval.low <= 0.6 && interval.high >= 0.6) covered++;
    }
    expect(covered / runs).toBeGreaterThan(0.93);
    expect(covered / runs).toBeLessThan(0.97);
  });

  it('needs no list of the cases where each was tried once', () => {
    for (const [passed, failed] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [7, 3],
      [120, 0],
      [0, 40],
    ] as const) {
      const cases = Array.from({ length: passed + failed }, (_, index) => ({
        caseKey: `${index}`,
        passed: index < passed ? 1 : 0,
        failed: index < passed ? 0 : 1,
      }));
      expect(passRateOfSingles(passed, failed)).toEqual(passRate(cases));
    }
  });
});
