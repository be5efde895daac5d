import { describe, expect, it } from 'vitest';
import { wilson } from './pass-rate.ts';

describe('wilson', () => {
  // Test cases of the challenge "Compute the Wilson Score Interval" (codegolf.stackexchange.com/q/105389), z = 1.96.
  it.each([
    { successes: 0, trials: 1, low: 0, high: 0.7934567085261071 },
    { successes: 1, trials: 1, low: 0.20654329147389294, high: 1 },
    { successes: 1, trials: 2, low: 0.09452865480086611, high: 0.905471345199134 },
    { successes: 1, trials: 11, low: 0.016231752262825982, high: 0.3773646254862038 },
    { successes: 10, trials: 100, low: 0.05522854161313612, high: 0.1743673043676654 },
    { successes: 75, trials: 100, low: 0.6569535362992417, high: 0.8245490599627573 },
    { successes: 100, trials: 100, low: 0.9630051925239981, high: 1 },
  ])('agrees with the published interval of $successes of $trials', ({ successes, trials, low, high }) => {
    const found = wilson(successes, trials, 1.96);
    expect(Math.abs(found.low - low)).toBeLessThan(1e-9);
    expect(Math.abs(found.high - high)).toBeLessThan(1e-9);
  });

  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  it.each([
    { successes: 81, trials: 263, low: '0.2553', high: '0.3662' },
    { successes: 15, trials: 148, low: '0.0624', high: '0.1605' },
    { successes: 0, trials: 20, low: '0.0000', high: '0.1611' },
    { successes: 1, trials: 29, low: '0.0061', high: '0.1718' },
  ])('prints what Newcombe prints for $successes of $trials', ({ successes, trials, low, high }) => {
    const found = wilson(successes, trials);
    expect([found.low.toFixed(4), found.high.toFixed(4)]).toEqual([low, high]);
  });

  it('knows nothing without trials', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
