import { describe, expect, it } from 'vitest';
import { intervalText } from './interval-text.ts';

describe('intervalText', () => {
  it('is as short as it can be and still tells the ends apart', () => {
    expect(intervalText(0.61, 0.93)).toBe('61 % to 93 %');
    expect(intervalText(0.9566, 0.9591)).toBe('95.7 % to 95.9 %');
    expect(intervalText(1, 1)).toBe('100 % to 100 %');
  });
});
