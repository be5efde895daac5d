import { describe, expect, it } from 'vitest';
import { bradleyTerry, type Contest } from './bradley-terry.ts';

/** Every two of three contestants meet in each of so many units; the first of them always wins. */
function inOrder(units: number): Contest[] {
  return Array.from({ length: units }, (_, index) => `u${index}`).flatMap((unit) => [
    { unit, first: 0, second: 1, points: 1 },
    { unit, first: 0, second: 2, points: 1 },
    { unit, first: 2, second: 1, points: 0 },
  ]);
}

describe('bradleyTerry', () => {
  it('orders contestants by what they win, with finite strengths and intervals that are not points', () => {
    const [first, second, third] = bradleyTerry(inOrder(12), 3);
    expect([first?.rank, second?.rank, third?.rank]).toEqual([1, 2, 3]);
    expect(first?.strength).toBeGreaterThan(second?.strength ?? 0);
    expect((first?.strength ?? 0) + (second?.strength ?? 0) + (third?.strength ?? 0)).toBeCloseTo(0, 6);
    expect(first?.share).toBeGreaterThan(0.9);
    expect(first?.interval.low).toBeLessThan(first?.share ?? 0);
    expect(second?.interval.high).toBeGreaterThan(0.5);
    expect(first?.firstShare).toBeGreaterThan(0.95);
  });

  it('gives the strengths of two contestants by their odds', () => {
    const contests = Array.from({ length: 300 }, (_, index) => ({
      ...{ unit: `u${index}`, first: 0, second: 1 },
      points: index % 3 === 0 ? 0 : 1,
    }));
    const [first, second] = bradleyTerry(contests, 2);
    expect((first?.strength ?? 0) - (second?.strength ?? 0)).toBeCloseTo(Math.log(200.5 / 100.5), 2);
    expect(first?.share).toBeCloseTo(200.5 / 301, 3);
  });

  it('distinguishes nothing where all tie, and counts contests of one unit once', () => {
    const tied = inOrder(10).map((contest) => ({ ...contest, points: 0.5 }));
    expect(bradleyTerry(tied, 3).map(({ rank }) => rank)).toEqual([1, 1, 1]);
    const oneUnit = inOrder(12).map((contest, index) => ({ ...contest, unit: `u${index % 2}` }));
    const width = (contests: readonly Contest[]): number => {
      const [found] = bradleyTerry(contests, 3);
      return (found?.interval.high ?? 0) - (found?.interval.low ?? 0);
    };
    expect(width(oneUnit)).toBeGreaterThan(2 * width(inOrder(12)));
  });

  it('finds a way through others where not all have met', () => {
    const contests = inOrder(12).filter(({ first, second }) => first + second !== 2);
    expect(bradleyTerry(contests, 3).map(({ rank }) => rank)).toEqual([1, 2, 3]);
  });
});
