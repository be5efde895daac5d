import { describe, expect, it } from 'vitest';
import { amountPerSuccess, meanAmount } from './per-success.ts';
import { holmLevels } from './sign-test.ts';

const cases = (count: number, spent: (index: number) => number, passed: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({
    unit: `c${index}`,
    spent: spent(index),
    passed: passed(index),
    tried: 4,
  }));

describe('an amount per success', () => {
  it('is the mean amount divided by the share that passes, inside its interval', () => {
    const { value, interval } = amountPerSuccess(
      cases(
        20,
        (index) => 1 + (index % 3),
        (index) => (index % 4) / 4,
      ),
    );
    expect(value).toBeCloseTo(1.95 / 0.375, 10);
    expect(interval?.low).toBeLessThan(value ?? 0);
    expect(interval?.high).toBeGreaterThan(value ?? 0);
  });

  it('scales with the amounts', () => {
    const once = amountPerSuccess(
      cases(
        10,
        (index) => 1 + index,
        (index) => (index % 2) / 2,
      ),
    );
    const thrice = amountPerSuccess(
      cases(
        10,
        (index) => 3 * (1 + index),
        (index) => (index % 2) / 2,
      ),
    );
    expect(thrice.value).toBeCloseTo(3 * (once.value ?? 0), 10);
    expect(thrice.interval?.high).toBeCloseTo(3 * (once.interval?.high ?? 0), 8);
  });

  it('has a lower end alone where nothing passed, and no interval with one unit', () => {
    const none = amountPerSuccess(
      cases(
        10,
        () => 2,
        () => 0,
      ),
    );
    expect(none).toMatchObject({ value: null, interval: { high: null } });
    expect(none.interval?.low).toBeGreaterThan(2);
    expect(
      amountPerSuccess(
        cases(
          1,
          () => 2,
          () => 1,
        ),
      ),
    ).toEqual({ value: 2, interval: undefined });
  });

  it('is wider over few scenarios than over as many independent cases', () => {
    const alone = cases(
      20,
      (index) => (index < 10 ? 1 : 3),
      () => 1,
    );
    const clustered = alone.map((one, index) => ({ ...one, unit: index < 10 ? 'first' : 'second' }));
    expect(meanAmount(clustered).interval?.high).toBeGreaterThan(meanAmount(alone).interval?.high ?? 0);
  });
});

describe('the levels of Holm', () => {
  it('rise as long as p-values are rejected, and stay from the first that is not', () => {
    expect(holmLevels([0.5, 0.001, 0.02, 0.3], 0.06)).toEqual([0.03, 0.015, 0.02, 0.03]);
    expect(holmLevels([0.5, 0.9], 0.05)).toEqual([0.025, 0.025]);
    expect(holmLevels([], 0.05)).toEqual([]);
  });
});
