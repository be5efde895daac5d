import { describe, expect, it } from 'vitest';
import { rateText } from './live-progress.tsx';

describe('rateText', () => {
  it.each([
    [null, 'rate is not known yet'],
    [0, 'rate is not known yet'],
    [120.4, '120 trials per second'],
    [2.25, '2.3 trials per second'],
    [0.5, '30 trials per minute'],
    [0.1, '6.0 trials per minute'],
    [0.001, '3.6 trials per hour'],
  ])('says of %s: %s', (perSecond, text) => {
    expect(rateText(perSecond)).toBe(text);
  });
});
