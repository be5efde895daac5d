import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted, grouped } from './format.ts';

describe('grouped', () => {
  it('writes numbers as English does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (value) => {
        expect(grouped(value)).toBe(value.toLocaleString('en'));
      }),
      { seed: 8 },
    );
  });

  it('leaves decimals alone', () => {
    expect(grouped(1234.56789)).toBe('1,234.56789');
    expect(grouped(0.000125)).toBe('0.000125');
  });
});

describe('counted', () => {
  it('chooses between one and many', () => {
    expect(counted(1, 'trial')).toBe('1 trial');
    expect(counted(0, 'trial')).toBe('0 trials');
    expect(counted(1_200, 'trial')).toBe('1,200 trials');
    expect(counted(2, 'case of mice', 'cases of mice')).toBe('2 cases of mice');
  });
});
