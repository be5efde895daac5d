import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../shared/seeded-random.ts';
import { findDrift } from './drift.ts';

const random = seededRandom(4);
const passes = (count: number, chance: number) => Array.from({ length: count }, () => (random() < chance ? 1 : 0));
const times = (count: number, scale: number) => Array.from({ length: count }, () => scale * Math.exp(random()));

function drift(
  reference: readonly number[],
  periods: readonly (readonly number[])[],
  figure: 'pass-rate' | 'duration',
) {
  const [found] = findDrift({
    figures: [figure],
    errorRate: 0.05,
    reference: { [figure]: reference },
    periods: periods.map((values) => ({ [figure]: values })),
  });
  return found;
}

describe('findDrift', () => {
  it('finds a pass rate that fell, and the period', () => {
    const after = [
      ...Array.from({ length: 10 }, () => passes(50, 0.9)),
      ...Array.from({ length: 5 }, () => passes(50, 0.6)),
    ];
    const found = drift(passes(200, 0.9), after, 'pass-rate');
    expect(found).toMatchObject({ state: 'drift', referenceUnits: 200, units: 750, level: 0.05 });
    expect(found?.atPeriod).toBeGreaterThan(10);
    expect(found?.pValue).toBeLessThanOrEqual(0.05);
  });

  it('finds no drift in an unchanged or better world', () => {
    for (const chance of [0.9, 1])
      expect(
        drift(
          passes(200, 0.9),
          Array.from({ length: 50 }, () => passes(40, chance)),
          'pass-rate',
        )?.state,
      ).toBe('no-drift');
  });

  it('compares amounts by ranks, so one outlier decides nothing', () => {
    expect(drift(times(200, 1), [[1e12], times(50, 1)], 'duration')?.state).toBe('no-drift');
    expect(drift(times(200, 1), [times(100, 2)], 'duration')?.state).toBe('drift');
    expect(drift(Array(200).fill(3), [Array(1_000).fill(3)], 'duration')?.state).toBe('no-drift');
  });

  it('says when there is not enough data', () => {
    expect(drift(passes(19, 0.9), [passes(100, 0)], 'pass-rate')).toMatchObject({
      state: 'not-enough-data',
      pValue: null,
    });
    expect(drift(passes(100, 0.9), [], 'pass-rate')).toMatchObject({ state: 'not-enough-data', current: null });
  });

  const worlds = (chance: number) =>
    Array.from({ length: 200 }, () => {
      const periods = Array.from({ length: 100 }, () => passes(10, chance));
      return drift(passes(60, 0.8), periods, 'pass-rate');
    });

  it('stays below its error rate over many looks', () => {
    expect(worlds(0.8).filter((found) => found?.state === 'drift').length).toBeLessThanOrEqual(10);
  });

  it('alarms when its p value is below the level, and at no other time', () => {
    const found = [0.75, 0.7, 0.65].flatMap(worlds);
    expect(new Set(found.map((each) => each?.state))).toEqual(new Set(['drift', 'no-drift']));
    expect(found.filter((each) => (each?.state === 'drift') !== (each?.pValue ?? 1) <= 0.05)).toEqual([]);
  });
});
