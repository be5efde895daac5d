import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passRate } from '../../shared/stats/pass-rate.ts';
import { passAtEveryK, passHatEveryK } from '../../shared/stats/repeated-passes.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import { compareFigures } from './compare-figures.ts';
import type { FigureAnswer, MetricComparison } from './comparison.ts';

interface Place {
  readonly scenario: string;
  readonly caseId: string;
}

/** The same case on both sides, by the values of its trials. */
interface Trials extends Place {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

function collected({ scenario, caseId }: Place, values: readonly number[]): CollectedCase {
  const passed = values.filter((value) => value === 1).length;
  return {
    ...{ scenario, caseId, variant: {}, passed, failed: values.length - passed, unjudged: 0 },
    figures: new Map([['pass-rate', values]]),
    ...{ checks: new Map(), success: null, failure: null, unjudgedTrial: null },
  };
}

function compared(cases: readonly Trials[]): MetricComparison {
  const pairs = cases.map((one): CasePair => {
    const { scenario, caseId } = one;
    return { scenario, caseId, variant: {}, a: collected(one, one.a), b: collected(one, one.b) };
  });
  return compareFigures(pairs, {}, null)[0] as MetricComparison;
}

const ending = fc.constantFrom(0, 1);
const suites = fc.integer({ min: 1, max: 4 }).chain((repeats) => {
  const trials = fc.array(ending, { minLength: repeats, maxLength: repeats });
  return fc
    .array(fc.tuple(trials, trials), { minLength: 1, maxLength: 12 })
    .map((cases) => cases.map(([a, b], index): Trials => ({ scenario: 's', caseId: `c${index}`, a, b })));
});
const settings = { seed: 38, numRuns: repetitions({ usual: 40, inFull: 150 }) };
const flipped: Partial<Record<FigureAnswer, FigureAnswer>> = { better: 'worse', worse: 'better' };
const both = (metric: MetricComparison) => [metric, metric.onTheseTasks];
const width = (interval: { low: number; high: number } | undefined): number =>
  interval ? interval.high - interval.low : 2;

describe('every comparison of pass rates', () => {
  it('has its estimate inside its interval, and an answer that agrees with it', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        for (const { difference, interval, answer } of both(compared(cases))) {
          if (!interval) continue;
          expect(difference).toBeGreaterThanOrEqual(interval.low - 1e-9);
          expect(difference).toBeLessThanOrEqual(interval.high + 1e-9);
          const isBeyond = interval.low > 0 || interval.high < 0;
          expect(answer === 'better' || answer === 'worse').toBe(isBeyond);
          if (answer === 'better') expect(interval.low).toBeGreaterThan(0);
          if (answer === 'worse') expect(interval.high).toBeLessThan(0);
        }
      }),
      settings,
    );
  });

  it('is mirrored where the sides are swapped', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const swapped = both(compared(cases.map((one) => ({ ...one, a: one.b, b: one.a }))));
        for (const [index, { answer, difference, interval }] of both(compared(cases)).entries()) {
          const other = swapped[index];
          expect(other?.answer).toBe(flipped[answer] ?? answer);
          expect(other?.difference).toBeCloseTo(-difference, 9);
          expect(other?.interval === undefined).toBe(interval === undefined);
          expect(other?.interval?.low ?? 0).toBeCloseTo(-(interval?.high ?? 0), 9);
        }
      }),
      settings,
    );
  });

  it('is the same under other names, and with a stray row in another file', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const renamed = cases.map((one, index) => ({ ...one, scenario: 'other', caseId: `x${index}` }));
        expect(compared(renamed)).toEqual(compared(cases));
        if (cases.length < 3) return;
        const split = cases.map((one, index) => (index === cases.length - 1 ? { ...one, scenario: 't' } : one));
        expect(compared(split)).toEqual(compared(cases));
      }),
      settings,
    );
  });

  it('is not less certain with more repeats of equal rates', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const doubled = cases.map((one) => ({ ...one, a: [...one.a, ...one.a], b: [...one.b, ...one.b] }));
        const [fewer, more] = [compared(cases), compared(doubled)];
        expect(width(more.interval)).toBeLessThanOrEqual(width(fewer.interval) + 1e-9);
        expect(width(more.onTheseTasks.interval)).toBeLessThanOrEqual(width(fewer.onTheseTasks.interval) + 1e-9);
      }),
      settings,
    );
  });

  it('is not less certain with more cases of equal rates, also from one case to two', () => {
    const isNotWider = (cases: readonly Trials[]): void => {
      const again = cases.map((one) => ({ ...one, caseId: `again ${one.caseId}` }));
      const [fewer, more] = [compared(cases), compared([...cases, ...again])];
      expect(width(more.interval)).toBeLessThanOrEqual(width(fewer.interval) + 1e-9);
      expect(width(more.onTheseTasks.interval)).toBeLessThanOrEqual(width(fewer.onTheseTasks.interval) + 1e-9);
    };
    fc.assert(
      fc.property(suites, (cases) => {
        isNotWider(cases);
        isNotWider(cases.slice(0, 1));
      }),
      settings,
    );
  });
});

describe('every figure of a comparison', () => {
  const amount = fc.integer({ min: 1, max: 500 });
  /** A pass rate beside durations, costs and a count that can be 0. */
  const richSuites = fc.integer({ min: 1, max: 3 }).chain((repeats) => {
    const of = (value: fc.Arbitrary<number>) => fc.array(value, { minLength: repeats, maxLength: repeats });
    const side = fc.record({
      'pass-rate': of(ending),
      'duration-ms': of(amount),
      'cost-usd': of(amount.map((cents) => cents / 100)),
      'interaction.help_invocations': of(fc.integer({ min: 0, max: 3 })),
    });
    return fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 10 });
  });
  type RichCase = NonNullable<ReturnType<typeof richSuites.generate>['value'][number]>;

  function pairOf([a, b]: RichCase, index: number): CasePair {
    const place = { scenario: 's', caseId: `c${index}` };
    const side = (values: RichCase[0]): CollectedCase => ({
      ...collected(place, values['pass-rate']),
      figures: new Map(Object.entries(values)),
    });
    return { ...place, variant: {}, a: side(a), b: side(b) };
  }

  /** Estimate, interval and answer of each question, and of typical trials. */
  function estimates(metric: MetricComparison) {
    const { typical, onTheseTasks } = metric;
    const logs = typical && {
      answer: typical.answer,
      difference: Math.log(typical.ratio),
      interval: typical.interval && { low: Math.log(typical.interval.low), high: Math.log(typical.interval.high) },
    };
    return [onTheseTasks, ...(logs ? [logs] : [metric])];
  }

  it('has its estimate inside its interval, and an answer that agrees with it', () => {
    fc.assert(
      fc.property(richSuites, (cases) => {
        for (const metric of compareFigures(cases.map(pairOf), {}, null)) {
          for (const { difference, interval, answer } of estimates(metric)) {
            if (!interval) continue;
            expect(difference, metric.name).toBeGreaterThanOrEqual(interval.low - 1e-9);
            expect(difference, metric.name).toBeLessThanOrEqual(interval.high + 1e-9);
            const isBeyond = interval.low > 0 || interval.high < 0;
            expect(answer === 'better' || answer === 'worse', metric.name).toBe(isBeyond);
          }
        }
      }),
      { ...settings, numRuns: repetitions({ usual: 20, inFull: 60 }) },
    );
  });

  it('is the same in another order, and where a file of rows is split in two', () => {
    fc.assert(
      fc.property(richSuites, (cases) => {
        const pairs = cases.map(pairOf).map((pair) => ({ ...pair, template: 'rows' }));
        const usual = compareFigures(pairs, {}, null);
        const split = pairs.map((pair, index) => ({ ...pair, scenario: index % 2 === 0 ? 's' : 't' }));
        expect(compareFigures(split, {}, null)).toEqual(usual);
        const turned = compareFigures(pairs.toReversed(), {}, null);
        for (const [index, { name, answer, difference, interval }] of turned.entries()) {
          const same = usual[index];
          expect([name, answer]).toEqual([same?.name, same?.answer]);
          expect(difference).toBeCloseTo(same?.difference ?? 0, 9);
          expect(interval?.low ?? 0).toBeCloseTo(same?.interval?.low ?? 0, 6);
        }
      }),
      { ...settings, numRuns: repetitions({ usual: 12, inFull: 40 }) },
    );
  });

  it('other than the main one has its own level, at most a fifth of the error rate', () => {
    fc.assert(
      fc.property(richSuites, (cases) => {
        const [main, ...others] = compareFigures(cases.map(pairOf), {}, null);
        expect(main?.level).toBe(0.05);
        for (const { level, onTheseTasks } of others) {
          expect(level).toBeLessThanOrEqual(0.01 + 1e-12);
          expect(onTheseTasks.level).toBe(level);
        }
      }),
      { ...settings, numRuns: repetitions({ usual: 12, inFull: 40 }) },
    );
  });
});

describe('every figure of a run', () => {
  const tallies = (cases: readonly Trials[], times = 1) =>
    cases.map(({ caseId, a }) => {
      const passed = times * a.filter((value) => value === 1).length;
      return { caseKey: caseId, passed, failed: times * a.length - passed, tried: times * a.length };
    });

  it('has its estimate inside its interval', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const { rate, interval } = passRate(tallies(cases));
        const chances = [...passAtEveryK(tallies(cases)), ...passHatEveryK(tallies(cases))];
        for (const { value, interval: range } of [{ value: rate ?? 0, interval }, ...chances]) {
          expect(value).toBeGreaterThanOrEqual((range?.low ?? 0) - 1e-9);
          expect(value).toBeLessThanOrEqual((range?.high ?? 1) + 1e-9);
        }
      }),
      settings,
    );
  });

  it('is not less certain with more repeats, or with more cases, of equal rates', () => {
    fc.assert(
      fc.property(suites, fc.integer({ min: 2, max: 5 }), (cases, times) => {
        const of = (outcomes: ReturnType<typeof tallies>) => width(passRate(outcomes).interval ?? undefined);
        const usual = of(tallies(cases));
        expect(of(tallies(cases, times))).toBeLessThanOrEqual(usual + 1e-9);
        if (cases.length === 1) return;
        const again = tallies(cases).map((one) => ({ ...one, caseKey: `again ${one.caseKey}` }));
        expect(of([...tallies(cases), ...again])).toBeLessThanOrEqual(usual + 1e-9);
      }),
      settings,
    );
  });

  it('of two cases that always pass is the same after two repeats as after one', () => {
    const two = (repeats: number) => ['a', 'b'].map((caseKey) => ({ caseKey, passed: repeats, failed: 0 }));
    expect(passRate(two(2)).interval).toEqual(passRate(two(1)).interval);
    expect(passRate(two(1)).interval?.low).toBeCloseTo(0.342, 3);
  });
});
