import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomes } from './page-data.ts';
import { formatRoute, parseRoute, type Route } from './route.ts';
import { sortKeys } from './trial-row.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });

const filter = fc.record({
  outcome: fc.constantFrom(null, ...outcomes),
  scenario: fc.option(text),
  variant: fc.option(fc.oneof(text, fc.constant(''))),
  search: fc.oneof(text, fc.constant('')),
  sort: fc.constantFrom(...sortKeys),
  isDescending: fc.boolean(),
});

const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ view: 'overview' }, { view: 'comparison' }),
  filter.map((chosen) => ({ view: 'trials' as const, filter: chosen })),
  fc.record({ view: fc.constant('trial' as const), trialId: text, event: fc.option(fc.nat(1e6)) }),
);

describe('addresses of views', () => {
  it('name every view, whatever its scenarios and trials are called', () => {
    fc.assert(
      fc.property(routes, (route) => {
        expect(parseRoute(formatRoute(route))).toEqual(route);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('are the overview when they name nothing', () => {
    fc.assert(
      fc.property(fc.string(), (hash) => {
        expect(['overview', 'comparison', 'trials', 'trial']).toContain(parseRoute(hash).view);
      }),
      { seed: 7 },
    );
    expect(parseRoute('')).toEqual({ view: 'overview' });
    expect(parseRoute('#/trial/')).toEqual({ view: 'overview' });
    expect(parseRoute('#/trial/%E0%A4%A')).toEqual({ view: 'trial', trialId: '%E0%A4%A', event: null });
  });
});
