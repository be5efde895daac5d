import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
import { comparePasses } from './fixed-cases.ts';
import { comparedWhateverWasLost, fillingsOf } from './lost-shares.ts';
import { permuteTrials } from './permute-trials.ts';

const settings = { seed: 36, numRuns: repetitions({ usual: 2, inFull: 30 }) };

const endings = fc.array(fc.constantFrom(0, 1, 1), { minLength: 1, maxLength: 4 });
const losses = fc.record({ a: fc.nat(1), b: fc.nat(2) });

/** No two shares differ by more than 1: comparisons end their intervals there. */
const withinShares = (end: number): number => Math.max(-1, Math.min(1, end));

/** More than there are ways to fill in what was lost. */
const all = 2_000;

/** The program compares a few ways to fill them in, and all of them can be compared here. */
const suites = fc
  .array(fc.record({ a: endings, b: endings, lost: losses }), { minLength: 3, maxLength: 4 })
  .filter((cases) => !fillingsOf(cases).isFew && fillingsOf(cases, all).isFew);

it.each([
  ['exact', comparePasses],
  ['permuted', permuteTrials],
] as const)('a few ways to fill in what was lost leave as much room as all of them: %s', (_, compare) => {
  fc.assert(
    fc.property(suites, (cases) => {
      const found = (most?: number) => comparedWhateverWasLost(cases, (filled) => compare(filled, 0.05), most);
      const [few, every] = [found(), found(all)];
      if (!few || !every) return;
      if (!every.interval) expect(few.interval).toBeUndefined();
      if (!every.interval || !few.interval) return;
      expect(withinShares(few.interval.low)).toBeLessThanOrEqual(withinShares(every.interval.low) + 1e-9);
      expect(withinShares(few.interval.high)).toBeGreaterThanOrEqual(withinShares(every.interval.high) - 1e-9);
      expect(few.pValue).toBeGreaterThanOrEqual(every.pValue - 1e-9);
    }),
    settings,
  );
});
