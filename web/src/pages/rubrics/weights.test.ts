import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWhole, totalWeight, wholeWeights } from './weights.ts';

describe('weights of a rubric', () => {
  it('are added up without dust', () => {
    expect(totalWeight([0.1, 0.2, 'x'])).toBe(0.3);
    expect([isWhole([0.6, 0.4]), isWhole([0.6, 0.39]), isWhole([0.6, 0.3])]).toEqual([true, true, false]);
  });

  it('are made to add up in their proportions', () => {
    expect(wholeWeights([3, 1])).toEqual([0.75, 0.25]);
    expect(wholeWeights([1, 1, 1])).toEqual([0.34, 0.33, 0.33]);
    expect(wholeWeights([undefined, 0])).toEqual([0.5, 0.5]);
  });

  it('add up to 1 whatever they were', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 1, maxLength: 40 }), (weights) => {
        const whole = wholeWeights(weights);
        expect(totalWeight(whole)).toBe(1);
        expect(whole.every((weight) => weight >= 0)).toBe(true);
      }),
      { seed: 8 },
    );
  });
});
