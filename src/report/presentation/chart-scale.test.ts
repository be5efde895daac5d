import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { niceScale } from './chart-scale.ts';

describe('niceScale', () => {
  it('holds every value, and only a few ticks', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (values) => {
        const scale = niceScale(values, 0, 100);
        for (const one of values) {
          expect(scale.place(one)).toBeGreaterThanOrEqual(-1e-6);
          expect(scale.place(one)).toBeLessThanOrEqual(100 + 1e-6);
        }
        expect(scale.ticks.length).toBeLessThanOrEqual(8);
        expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
      }),
      { seed: 8, numRuns: 500 },
    );
  });

  it('uses round steps', () => {
    expect(niceScale([0, 1], 0, 1).ticks).toEqual([0, 0.5, 1]);
    expect(niceScale([0, 0.87], 0, 1, 5).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  });

  it('has room for a single value and for none', () => {
    expect(niceScale([5], 0, 100).place(5)).toBeGreaterThanOrEqual(0);
    expect(niceScale([], 0, 100).ticks.length).toBeGreaterThan(1);
    expect(niceScale([0], 0, 100).ticks.length).toBeGreaterThan(1);
  });
});
