import { describe, expect, it } from 'vitest';
import { answerOf, isLessThanMatters } from './answer.ts';
import { comparePairs, type PairedCase } from './compare-pairs.ts';
import { meanDifference } from './mean-difference.ts';

const share = { largestDifference: 1 };
const higher = { smallestDifference: 0.05, isHigherBetter: true };
const always = (count: number, a: number, b: number, from = 0): PairedCase[] =>
  Array.from({ length: count }, (_, index) => ({ unit: `${from + index}`, a: [a, a, a], b: [b, b, b] }));

describe('comparing by case', () => {
  it('says better or worse when chance hardly explains the difference', () => {
    const found = comparePairs(always(8, 0, 1), share);
    expect(found && answerOf(found, higher)).toBe('better');
    expect(found && answerOf(found, { ...higher, isHigherBetter: false })).toBe('worse');
  });

  it('gives the usual interval for very many cases', () => {
    const even = Array.from({ length: 20_000 }, (_, index) => ({ unit: `${index}`, a: [0], b: [index % 2] }));
    const found = comparePairs(even, share)?.interval;
    const halfWidth = 1.96 * Math.sqrt(0.25 / 20_000);
    expect(found?.low).toBeCloseTo(0.5 - halfWidth, 4);
    expect(found?.high).toBeCloseTo(0.5 + halfWidth, 4);
  });

  // Table 1 of Agresti and Min, Statistics in Medicine 24 (2005) 729-740: 144 pairs, 16 and 37 of which differ. Their
  // adjusted interval is 0.04 to 0.24; ours has the same length and lies around what was seen.
  it('is as long as the adjusted interval of Agresti and Min for paired proportions', () => {
    const cases = [...always(37, 0, 1), ...always(16, 1, 0, 37), ...always(91, 1, 1, 53)];
    const { interval, difference } = comparePairs(cases, share) ?? {};
    const [lost, won, count] = [16.5, 37.5, 146];
    const wald = 1.96 * (Math.sqrt(lost + won + 0 - (won - lost) ** 2 / count) / count);
    expect(difference).toBeCloseTo(21 / 144, 12);
    expect(((interval?.high ?? 0) - (interval?.low ?? 0)) / 2).toBeCloseTo(wald, 2);
  });

  it('never calls a winner on fewer than six cases that differ, and its interval does not either', () => {
    for (let differing = 1; differing < 6; differing++) {
      for (const alike of [0, 1, 5, 20, 200]) {
        const found = comparePairs([...always(differing, 0, 1), ...always(alike, 1, 1, differing)], share);
        if (!found?.interval) continue;
        expect(found.interval.low).toBeLessThanOrEqual(0);
        expect(found.pValue).toBeGreaterThan(2 * 0.5 ** differing - 1e-9);
        expect(answerOf(found, higher)).not.toBe('better');
      }
    }
  });

  it('lets interval and test say the same, whatever was seen', () => {
    for (let round = 0; round < 200; round++) {
      const cases = Array.from({ length: 4 + (round % 17) }, (_, index) => ({
        unit: `${index}`,
        a: [Math.abs(Math.sin(round * 7 + index))],
        b: [Math.min(1, Math.abs(Math.sin(round * 7 + index)) + ((index * round) % 5) / 9)],
      }));
      const found = comparePairs(cases, share);
      const excludes = found?.interval !== undefined && (found.interval.low > 0 || found.interval.high < 0);
      expect(excludes).toBe((found?.pValue ?? 1) <= 0.05);
    }
  });

  it('says that there is no difference only when the interval leaves no room for one', () => {
    const many = comparePairs(always(100, 1, 1), share);
    expect(many?.interval?.high).toBeCloseTo(1 - 0.025 ** (1 / 100), 12);
    expect(many && answerOf(many, higher)).toBe('no-difference');
    const few = comparePairs(always(10, 1, 1), share);
    expect(few && answerOf(few, higher)).toBe('not-enough-data');
  });

  it('knows a certain difference that is smaller than matters', () => {
    const found = comparePairs(
      Array.from({ length: 400 }, (_, index) => ({ unit: `${index}`, a: [0.5], b: [0.51 + (index % 3) / 1_000] })),
      share,
    );
    expect(found && answerOf(found, higher)).toBe('better');
    expect(found && isLessThanMatters(found, 0.05)).toBe(true);
    expect(found && isLessThanMatters(found, 0.005)).toBe(false);
  });

  it('takes what rounding leaves for no difference', () => {
    const dusty = Array.from({ length: 30 }, (_, index) => ({ unit: `${index}`, a: [0.1 + 0.2], b: [0.3] }));
    expect(comparePairs(dusty)).toMatchObject({ difference: 0, informative: 0, pValue: 1 });
  });

  it('takes cases of one unit for one, however many they are', () => {
    const thirty = Array.from({ length: 30 }, (_, index) => ({ unit: `${index % 3}`, a: [0], b: [1] }));
    const found = comparePairs(thirty, share);
    expect(found).toMatchObject({ pairs: 30, units: 3, difference: 1 });
    expect(found && answerOf(found, higher)).toBe('not-enough-data');
  });

  it('lets units of unequal size count for less than as many equal ones', () => {
    const differences = Array.from({ length: 8 }, (_, index) => (index % 4) / 4);
    const width = (weightOf: (unit: number) => number): number => {
      const { interval } = meanDifference(
        {
          differences: Float64Array.from(differences),
          weights: Float64Array.from(differences, (_, unit) => weightOf(unit)),
        },
        1,
      );
      return (interval?.high ?? 0) - (interval?.low ?? 0);
    };
    expect(width((unit) => (unit === 0 ? 33 : 1))).toBeGreaterThan(2 * width(() => 5));
  });

  it('calls no winner where the trials that a side lost could turn it', () => {
    // 106 of 150 passed before; now 105 of 116, and 34 could not be judged.
    const cases = (passed: number, of: number) => Array.from({ length: of }, (_, index) => (index < passed ? 1 : 0));
    const [before, now] = [cases(106, 150), cases(105, 116)];
    const pairs = now.map((value, index) => ({ unit: `${index}`, a: [before[index] ?? 0], b: [value] }));
    const lost = { a: 0, b: 34 / 150 };
    const found = comparePairs(pairs, { ...share, missing: lost });
    expect(found && answerOf(found, higher)).toBe('not-enough-data');
    const even = comparePairs(pairs, { ...share, missing: { a: 0.2, b: 0.2 } });
    const plain = comparePairs(pairs, share);
    // All of what A lost may have passed, and all of what B lost may have failed; or the other way round.
    const { meanA = 0, meanB = 0, interval } = plain ?? {};
    expect(even?.interval?.low).toBeCloseTo((interval?.low ?? 0) - 0.2 * meanB - 0.2 * (1 - meanA));
    expect(even?.interval?.high).toBeCloseTo((interval?.high ?? 0) + 0.2 * (1 - meanB) + 0.2 * meanA);
  });

  it('leaves room for rare large trials where a figure has no bound', () => {
    const same = Array.from({ length: 50 }, (_, index) => ({ unit: `${index}`, a: [3], b: [3] }));
    const found = comparePairs(same);
    expect(found && answerOf(found, { smallestDifference: 0.3, isHigherBetter: false })).toBe('not-enough-data');
    const cheaper = Array.from({ length: 20 }, (_, index) => ({ unit: `${index}`, a: [1], b: [0.72] }));
    const cost = comparePairs(cheaper);
    expect(cost && answerOf(cost, { smallestDifference: 0.1, isHigherBetter: false })).toBe('not-enough-data');
  });

  it('leaves out cases that only one side has, and says nothing without any', () => {
    expect(comparePairs([{ unit: 'a', a: [1], b: [] }], share)).toBeUndefined();
    expect(comparePairs([], share)).toBeUndefined();
    expect(comparePairs([...always(3, 1, 0), { unit: 'x', a: [], b: [1] }], share)?.pairs).toBe(3);
  });

  it('gives no interval for one case, and no made-up certainty', () => {
    const found = comparePairs(always(1, 0, 1), share);
    expect(found?.interval).toBeUndefined();
    expect(found && answerOf(found, higher)).toBe('not-enough-data');
  });
});
