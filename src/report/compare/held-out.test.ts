import { describe, expect, it } from 'vitest';
import type { CasePair, CollectedCase } from './collected-side.ts';
import { compareHeldOut, heldOutRepeats, stepErrorRate } from './held-out.ts';

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

function casePair(a: readonly number[], b: readonly number[], lost = 0): CasePair {
  const side = (values: readonly number[], unjudged: number) =>
    ({
      passed: values.length,
      failed: 0,
      unjudged,
      figures: new Map(values.length > 0 ? [['pass-rate', values]] : []),
    }) as unknown as CollectedCase;
  return { scenario: 's', caseId: 'c', variant: {}, a: side(a, 0), b: side(b, lost) };
}

describe('compareHeldOut', () => {
  it('does not keep an idea without a gain, however many trials show none', () => {
    for (const cases of [1, 2, 5, 10, 30]) {
      const count = cases === 1 ? 80 : heldOutRepeats(cases);
      const pairs = Array.from({ length: cases }, () => casePair(times(count, 1), times(count, 1)));
      expect(compareHeldOut(pairs, 1)?.result, `${cases} cases`).toBe('not-shown');
    }
    // Memorised: 27 % to 100 % on the training cases, and 40 % to 40 % here.
    const same = [...times(4, 1), ...times(6, 0)];
    const found = compareHeldOut(
      times(10, 0).map(() => casePair(same, same)),
      1,
    );
    expect(found).toMatchObject({ result: 'not-shown', difference: 0 });
    expect(found?.summary).toContain('no gain shown');
  });

  it('keeps a gain, refuses a loss, and does not decide where too little is known', () => {
    const half = [...times(5, 1), ...times(5, 0)];
    const five = (a: number[], b: number[]) =>
      compareHeldOut(
        times(5, 0).map(() => casePair(a, b)),
        1,
      )?.result;
    expect(five(half, times(10, 1))).toBe('gained');
    expect(five(times(10, 1), half)).toBe('worse');
    expect(five(half, half)).toBe('not-shown');
    expect(five([1], [1])).toBe('not-shown');
  });

  it('is stricter with more candidates', () => {
    const pairs = times(5, 0).map(() => casePair(times(14, 1), times(14, 1)));
    const [one, ten] = [compareHeldOut(pairs, 1), compareHeldOut(pairs, 10)];
    expect(ten?.low).toBeLessThan(one?.low ?? 0);
  });

  it('counts lost trials and lost cases against the new version', () => {
    const whole = times(9, 0).map(() => casePair(times(10, 1), times(10, 1)));
    expect(compareHeldOut([...whole, casePair(times(10, 1), times(5, 1), 5)], 1)?.result).toBe('not-shown');
    expect(compareHeldOut([...whole, casePair(times(10, 1), [], 10)], 1)?.result).toBe('not-shown');
    expect(compareHeldOut([casePair([], [])], 1)).toBeUndefined();
  });
});

describe('stepErrorRate', () => {
  it('keeps ideas that do not help in at most 4.5 % of improvements, with any number of steps', () => {
    const all = Array.from({ length: 50 }, (_, index) => stepErrorRate(index + 1) / 2);
    expect(all.reduce((sum, rate) => sum + rate, 0)).toBeLessThanOrEqual(0.045);
  });
});
