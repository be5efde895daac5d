import { describe, expect, it } from 'vitest';
import { brokeBeyondChance, differBeyondChance } from './chance-rule.ts';
import { permuteTrials } from './permute-trials.ts';

describe('permuteTrials', () => {
  // The rats of Efron and Tibshirani, "An Introduction to the Bootstrap", table 2.1; the test is in section 15.2:
  // one-sided level 0.132 of the permutation test, twice that for both sides.
  it('gives the chance that is published for seven treated and nine other mice', () => {
    const treated = [94, 197, 16, 38, 99, 141, 23];
    const control = [52, 104, 146, 10, 51, 30, 40, 27, 46];
    const found = permuteTrials([{ a: control, b: treated }]);
    expect(found?.difference).toBeCloseTo(30.63, 2);
    expect(found?.pValue).toBeGreaterThan(0.25);
    expect(found?.pValue).toBeLessThan(0.31);
  });

  it('mirrors the answer when the sides are swapped', () => {
    const [a, b] = [
      [0.1, 0.2, 0.4, 0.3, 0.2],
      [0.3, 0.5, 0.4, 0.6],
    ];
    const [there, back] = [permuteTrials([{ a, b }]), permuteTrials([{ a: b, b: a }])];
    expect(back?.pValue).toBe(there?.pValue);
    expect(back?.interval?.low).toBe(-(there?.interval?.high ?? 0));
  });

  it('never excludes no difference in one of test and interval only', () => {
    for (let gap = -6; gap <= 6; gap++) {
      const a = [0, 1, 2, 3, 4, 5, 6, 7];
      const found = permuteTrials([{ a, b: a.map((value) => value + gap * 0.9) }]);
      const excludes = found?.interval !== undefined && (found.interval.low > 0 || found.interval.high < 0);
      expect(excludes).toBe((found?.pValue ?? 1) <= 0.05);
    }
  });

  it('excludes nothing with three trials on each side', () => {
    const found = permuteTrials([{ a: [1, 2, 3], b: [101, 102, 103] }]);
    expect(found?.pValue).toBeGreaterThan(0.05);
    expect(found?.interval).toBeUndefined();
  });

  it('is never sure that chance played no part: what was seen is one of the permutations', () => {
    const a = Array.from({ length: 20 }, (_, index) => index / 100);
    const found = permuteTrials([{ a, b: a.map((value) => value + 100) }]);
    expect(found?.pValue).toBeGreaterThan(0);
    expect(found?.pValue).toBeLessThan(0.001);
  });

  it('keeps the trials of each case together', () => {
    const found = permuteTrials([
      { a: [0, 0, 0, 0, 0, 0], b: [1, 1, 1, 1, 1, 1] },
      { a: [100, 100, 100, 100, 100, 100], b: [101, 101, 101, 101, 101, 101] },
    ]);
    expect(found?.difference).toBe(1);
    expect(found?.pValue).toBeLessThan(0.01);
  });
});

describe('the order of trials and cases', () => {
  const cases = [
    { a: [3, 1, 4, 1.5], b: [9, 2.5, 6] },
    { a: [5, 3.5, 8], b: [9.5, 7, 9.2, 3] },
    { a: [2, 7.1], b: [1, 8.2] },
  ];

  it('changes no figure, and swapping the sides mirrors each', () => {
    const usual = permuteTrials(cases);
    const turned = cases.toReversed().map(({ a, b }) => ({ a: a.toReversed(), b: b.toReversed() }));
    expect(permuteTrials(turned)).toMatchObject({ pValue: usual?.pValue, interval: usual?.interval });
    const swapped = permuteTrials(turned.map(({ a, b }) => ({ a: b, b: a })));
    const { low = 0, high = 0 } = usual?.interval ?? {};
    expect(swapped).toMatchObject({ pValue: usual?.pValue, interval: { low: -high, high: -low } });
  });

  it('of sides that are mirror images gives a symmetric interval', () => {
    const [one, other] = [
      [1, 2, 4, 7],
      [2, 3, 5, 9],
    ] as const;
    const found = permuteTrials([
      { a: one, b: other },
      { a: other, b: one },
    ]);
    expect(found?.difference).toBe(0);
    expect(found?.interval?.low).toBe(-(found?.interval?.high ?? 0));
  });
});

describe('differBeyondChance', () => {
  it('needs stronger evidence when more tests are made', () => {
    const [a, b] = [
      [0.3, 0.2, 0.4, 0.25, 0.35, 0.1],
      [0.1, 0.15, 0.2, 0.05, 0.11, 0.12],
    ];
    expect(differBeyondChance(a, b)).toBe(true);
    expect(differBeyondChance(a, b, 20)).toBe(false);
    expect(differBeyondChance(a, a)).toBe(false);
    expect(differBeyondChance([1], [0])).toBe(false);
  });
});

describe('brokeBeyondChance', () => {
  it('does not call one trial, or three, proof among twenty checks', () => {
    expect(brokeBeyondChance({ heldBefore: 1, heldNow: 0, failedNow: 1 }, 20)).toBe(false);
    expect(brokeBeyondChance({ heldBefore: 3, heldNow: 0, failedNow: 3 }, 20)).toBe(false);
  });

  it('calls a check broken that always held and never does now, in five trials each', () => {
    expect(brokeBeyondChance({ heldBefore: 5, heldNow: 0, failedNow: 5 }, 10)).toBe(true);
    expect(brokeBeyondChance({ heldBefore: 5, heldNow: 1, failedNow: 4 }, 10)).toBe(false);
    expect(brokeBeyondChance({ heldBefore: 5, heldNow: 0, failedNow: 5 }, 100)).toBe(false);
  });
});
