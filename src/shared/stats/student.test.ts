import { describe, expect, it } from 'vitest';
import { studentQuantile, studentTwoSided } from './distributions.ts';

describe('Student', () => {
  // Quantiles as every table of the distribution has them.
  it.each([
    { confidence: 0.95, freedom: 1, quantile: 12.7062 },
    { confidence: 0.95, freedom: 4, quantile: 2.7764 },
    { confidence: 0.95, freedom: 19, quantile: 2.093 },
    { confidence: 0.99, freedom: 10, quantile: 3.1693 },
    { confidence: 0.95, freedom: 1e6, quantile: 1.96 },
  ])('has the quantile $quantile with $freedom degrees of freedom', ({ confidence, freedom, quantile }) => {
    expect(studentQuantile(confidence, freedom)).toBeCloseTo(quantile, 4);
  });

  it('gives the chance that belongs to a quantile', () => {
    expect(studentTwoSided(2.0930240544, 19)).toBeCloseTo(0.05, 8);
    expect(studentTwoSided(0, 5)).toBe(1);
    expect(studentTwoSided(Number.POSITIVE_INFINITY, 5)).toBe(0);
  });
});
