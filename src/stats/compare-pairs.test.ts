import { describe, expect, it } from 'vitest';
import { answerOf, comparePairs } from './compare-pairs.ts';
import { simulateComparisons } from './fakes/simulated-suites.ts';

const options = { smallestDifference: 0.05, largestDifference: 1 };
const higher = { smallestDifference: 0.05, isHigherBetter: true };
const always = (count: number, a: number, b: number) =>
  Array.from({ length: count }, () => ({ a: [a, a, a], b: [b, b, b] }));

describe('comparing by case', () => {
  it('says better or worse when chance hardly explains the difference', () => {
    const found = comparePairs(always(8, 0, 1), options);
    expect(found && answerOf(found, found.pValue, higher)).toBe('better');
    expect(found && answerOf(found, found.pValue, { ...higher, isHigherBetter: false })).toBe('worse');
  });

  it('gives the usual interval for very many cases, and a wider one where single cases decide', () => {
    const even = Array.from({ length: 2_000 }, (_, index) => ({ a: [0], b: [index % 2] }));
    const found = comparePairs(even, { smallestDifference: 0.05 })?.interval;
    const halfWidth = 1.9611519 * Math.sqrt(0.25 / 1_999);
    expect(found?.low).toBeCloseTo(0.5 - halfWidth, 6);
    expect(found?.high).toBeCloseTo(0.5 + halfWidth, 6);
    const uneven = [...even, { a: [0], b: [1_000_000] }];
    const wide = comparePairs(uneven, { smallestDifference: 0.05 })?.interval;
    expect((wide?.high ?? 0) - (wide?.low ?? 0)).toBeGreaterThan(500);
  });

  it('never calls a winner on fewer than six cases that differ', () => {
    const found = comparePairs([...always(5, 0, 1), ...always(20, 1, 1)], options);
    expect(found?.informative).toBe(5);
    expect(found && answerOf(found, found.pValue, higher)).toBe('not-enough-data');
  });

  it('says that there is no difference only when the interval leaves no room for one', () => {
    const many = comparePairs(always(100, 1, 1), options);
    expect(many?.interval?.high).toBeCloseTo(1 - 0.025 ** (1 / 100), 12);
    expect(many && answerOf(many, many.pValue, higher)).toBe('no-difference');
    const few = comparePairs(always(10, 1, 1), options);
    expect(few && answerOf(few, few.pValue, higher)).toBe('not-enough-data');
  });

  it('leaves out cases that only one side has, and says nothing without any', () => {
    expect(comparePairs([{ a: [1], b: [] }], options)).toBeUndefined();
    expect(comparePairs([], options)).toBeUndefined();
    expect(comparePairs([...always(3, 1, 0), { a: [], b: [1] }], options)?.cases).toBe(3);
  });

  it('gives no interval for one case, and no made-up certainty', () => {
    const found = comparePairs(always(1, 0, 1), options);
    expect(found?.interval).toBeUndefined();
    expect(found && answerOf(found, found.pValue, higher)).toBe('not-enough-data');
  });

  it('gives the same figures each time', () => {
    const cases = Array.from({ length: 30 }, (_, index) => ({ a: [index % 3, 1], b: [index % 4, 2] }));
    expect(comparePairs(cases, options)).toEqual(comparePairs(cases, options));
  });
});

// The full size is `npm run bench:stats`; here the limits allow for the error of so few replications.
describe('simulated suites of 20 cases with 5 repeats', () => {
  const suite = { cases: 20, repeats: 5, harder: 0, scatter: 0 };

  it('raise few false alarms when nothing changed, where the sign of the difference is a coin', () => {
    const found = simulateComparisons(suite, 300, 1);
    expect(found.better + found.worse).toBeLessThan(0.08);
    expect(found.naiveAlarms).toBeGreaterThan(0.35);
    expect(found.covered).toBeGreaterThan(0.92);
  });

  it('raise few when single cases gain and others lose', () => {
    const found = simulateComparisons({ ...suite, scatter: 0.35 }, 300, 2);
    expect(found.better + found.worse).toBeLessThan(0.08);
  });

  it('find most drops of 13.4 points', () => {
    const found = simulateComparisons({ ...suite, harder: 1.05 }, 300, 3);
    expect(found.trueDifference).toBeCloseTo(-0.134, 2);
    expect(found.worse).toBeGreaterThan(0.55);
    expect(found.better).toBe(0);
  });
});
