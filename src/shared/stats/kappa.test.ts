import { describe, expect, it } from 'vitest';
import { cohenKappa } from './kappa.ts';

describe('cohenKappa', () => {
  it.each([
    // The three worked tables of Wikipedia, "Cohen's kappa"; their fractions are exact.
    {
      table: [
        [20, 5],
        [10, 15],
      ],
      kappa: 2 / 5,
    },
    {
      table: [
        [45, 15],
        [25, 15],
      ],
      kappa: 3 / 23,
    },
    {
      table: [
        [25, 35],
        [5, 35],
      ],
      kappa: 7 / 27,
    },
    // Fleiss, "Statistical Methods for Rates and Proportions" (1981), p. 213: 0.89 observed, 0.66 expected.
    {
      table: [
        [75, 1, 4],
        [5, 4, 1],
        [0, 0, 10],
      ],
      kappa: 23 / 34,
    },
  ])('agrees with the published value $kappa', ({ table, kappa }) => {
    expect(Math.abs((cohenKappa(table)?.kappa ?? Number.NaN) - kappa)).toBeLessThan(1e-9);
  });

  it("gives the standard error and interval of the SAS manual's agreement study of two dermatologists", () => {
    const found = cohenKappa([
      [10, 4, 1, 0],
      [5, 10, 12, 2],
      [2, 4, 12, 5],
      [0, 2, 6, 13],
    ]);
    expect(found?.kappa.toFixed(4)).toBe('0.3449');
    expect(found?.standardError.toFixed(4)).toBe('0.0724');
    // The manual's asymptotic interval is 0.2030 to 0.4868; with so many ratings ours is nearly the same.
    expect(Math.abs((found?.interval.low ?? 0) - 0.203)).toBeLessThan(0.03);
    expect(Math.abs((found?.interval.high ?? 0) - 0.4868)).toBeLessThan(0.03);
  });

  it('is 1 for raters who always agree, and below 0 for raters who never do', () => {
    expect(
      cohenKappa([
        [7, 0],
        [0, 3],
      ]),
    ).toMatchObject({ kappa: 1, standardError: 0, interval: { low: expect.any(Number), high: 1 } });
    expect(
      cohenKappa([
        [0, 5],
        [5, 0],
      ])?.kappa,
    ).toBe(-1);
  });

  it('does not take fifty ratings that agree for proof that all would', () => {
    const interval = cohenKappa([
      [25, 0],
      [0, 25],
    ])?.interval;
    expect(interval?.high).toBe(1);
    expect(interval?.low).toBeLessThan(0.95);
    expect(interval?.low).toBeGreaterThan(0.8);
  });

  it('says nothing when both raters know one category only, or when nothing was rated', () => {
    expect(
      cohenKappa([
        [9, 0],
        [0, 0],
      ]),
    ).toBeUndefined();
    expect(
      cohenKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeUndefined();
  });
});
