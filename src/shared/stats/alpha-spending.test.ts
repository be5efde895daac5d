import { describe, expect, it } from 'vitest';
import { levelsOfLooks, type Spending } from './alpha-spending.ts';
import { normalCdf, normalQuantile } from './distributions.ts';

const fifths = [0.2, 0.4, 0.6, 0.8, 1];
const bounds = (spending: Spending): number[] =>
  levelsOfLooks(fifths, spending).map((level) => -normalQuantile(level / 2));

describe('levels of looks', () => {
  it('are those that are published for the usual spending functions', () => {
    const obrienFleming = bounds((share) => 4 * (1 - normalCdf(normalQuantile(1 - 0.0125) / Math.sqrt(share))));
    const pocock = bounds((share) => 0.05 * Math.log(1 + (Math.E - 1) * share));
    for (const [index, bound] of [4.8769, 3.3569, 2.6803, 2.2898, 2.031].entries()) {
      expect(obrienFleming[index]).toBeCloseTo(bound, 3);
    }
    for (const [index, bound] of [2.438, 2.4268, 2.4101, 2.3966, 2.3859].entries()) {
      expect(pocock[index]).toBeCloseTo(bound, 3);
    }
  });

  it('are the whole error rate where there is one look', () => {
    expect(levelsOfLooks([1], (share) => 0.05 * share)[0]).toBeCloseTo(0.05, 6);
  });
});
