import { describe, expect, it } from 'vitest';
import type { CaseCounts, RunHeader } from '../../domain/run.ts';
import { placedRates, placedRatesOfSingles } from './run-figures.ts';

const run = { scenarios: [] } as unknown as RunHeader;
const counts = (scenario: string, caseId: string, model: string, pass: number, cluster?: string): CaseCounts => ({
  ...{ file: `${scenario}.yaml`, scenario, caseId, variant: { model }, pass, fail: 4 - pass, unjudged: 0 },
  ...(cluster !== undefined && { cluster }),
});

describe('rates of scenarios and variants', () => {
  it('are those of a scenario, of a variant, and of one under the other', () => {
    const rates = placedRates(run, [counts('a', 'x', 'm', 4), counts('a', 'x', 'n', 0), counts('b', 'y', 'm', 2)]);
    const found = Object.fromEntries(rates.map(({ scenario, variant, rate }) => [`${scenario} ${variant}`, rate]));
    expect(found).toEqual({
      'a null': 0.5,
      'null m': 0.75,
      'a m': 1,
      'null n': 0,
      'a n': 0,
      'b null': 0.5,
      'b m': 0.5,
    });
  });

  it('have intervals by declared clusters, as the run has', () => {
    const of = (clusterOf: (index: number) => string | undefined) =>
      placedRates(
        run,
        Array.from({ length: 12 }, (_, index) => counts('a', `c${index}`, 'm', index < 6 ? 4 : 0, clusterOf(index))),
      )[0]?.interval;
    const [clustered, plain] = [of((index) => (index < 6 ? 'first' : 'second')), of(() => undefined)];
    expect(clustered?.low).toBeLessThan((plain?.low ?? 0) - 0.05);
  });

  it('of single trials add up over files with a scenario of the same name', () => {
    const single = { scenario: 'a', pass: 3, fail: 1 };
    expect(placedRatesOfSingles([single, single])).toMatchObject([
      { scenario: 'a', variant: null, rate: 0.75, trials: 8 },
    ]);
  });
});
