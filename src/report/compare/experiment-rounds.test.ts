import { describe, expect, it } from 'vitest';
import { isSettled, placeInPlan, roundLevels, roundSizes } from './experiment-rounds.ts';

describe('the rounds of an experiment', () => {
  it('add up to all repeats, and are never more than ten', () => {
    for (let repeats = 1; repeats <= 300; repeats++) {
      const sizes = roundSizes(repeats);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(repeats);
      expect(sizes.length).toBeLessThanOrEqual(10);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
    }
  });

  it('hold every repeat once', () => {
    const rounds = roundSizes(23);
    const places = Array.from({ length: 23 }, (_, index) => placeInPlan(index + 1, rounds));
    for (const [round, size] of rounds.entries()) {
      const own = places.filter((place) => place.round === round).map(({ place }) => place);
      expect(own).toEqual(Array.from({ length: size }, (_, index) => index));
    }
    expect(placeInPlan(24, rounds).round).toBe(rounds.length);
  });

  it('are tested at levels that leave most of the error rate to the last', () => {
    const levels = roundLevels([2, 2, 2, 2, 2], 0.05);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(levels[0]).toBeCloseTo(0.05 * 0.2 ** 1.5, 6);
    expect(roundLevels([1], 0.05)[0]).toBeCloseTo(0.05, 6);
  });

  it('let a case rest that always ended alike on every side, often enough', () => {
    expect(
      isSettled([
        [1, 1, 1, 1],
        [0, 0, 0, 0],
      ]),
    ).toBe(true);
    expect(
      isSettled([
        [1, 1, 1, 0],
        [0, 0, 0, 0],
      ]),
    ).toBe(false);
    expect(
      isSettled([
        [1, 1, 1],
        [0, 0, 0],
      ]),
    ).toBe(false);
    expect(isSettled([[1, 1, 1, 1], []])).toBe(false);
  });
});
