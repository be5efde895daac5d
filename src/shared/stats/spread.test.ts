import { describe, expect, it } from 'vitest';
import { spreadOf } from './spread.ts';

describe('spreadOf', () => {
  it('gives mean, sample standard deviation and extremes', () => {
    expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      mean: 5,
      standardDeviation: Math.sqrt(32 / 7),
      min: 2,
      max: 9,
    });
  });

  it('adds fractions without rounding residue, so a threshold can be met exactly', () => {
    expect(spreadOf([0.7, 0.8, 0.9]).mean).toBe(0.8);
  });

  it('sees no spread in a single figure', () => {
    expect(spreadOf([0.3])).toEqual({ mean: 0.3, standardDeviation: 0, min: 0.3, max: 0.3 });
  });
});
