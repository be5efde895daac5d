import { describe, expect, it } from 'vitest';
import { sumWarning, weightedScore } from './rubric.ts';

describe('weightedScore', () => {
  it('weighs each score', () => {
    const criteria = [
      { id: 'a', weight: 0.25 },
      { id: 'b', weight: 0.75 },
    ];
    expect(weightedScore(criteria, (id) => (id === 'a' ? 1 : 0.5))).toBe(0.625);
  });

  it('stays between 0 and 1 when the weights are only about 1', () => {
    const criteria = ['a', 'b', 'c'].map((id) => ({ id, weight: 0.335 }));
    expect(weightedScore(criteria, () => 1)).toBe(1);
  });

  it('meets a level that every score meets, whatever the fractions', () => {
    const criteria = Array.from({ length: 10 }, (_, index) => ({ id: `${index}`, weight: 0.1 }));
    expect(weightedScore(criteria, () => 0.7)).toBe(0.7);
  });
});

describe('sumWarning', () => {
  it('overlooks rounding up to 0.01 and reports more', () => {
    expect(sumWarning(0.83, 0.825)).toBeUndefined();
    expect(sumWarning(0.71, 0.7)).toBeUndefined();
    expect(sumWarning(0.72, 0.7)).toBe("The judge's own weighted score 0.72 differs from the recomputed 0.7");
  });
});
