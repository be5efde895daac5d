import { describe, expect, it } from 'vitest';
import { planRepeats } from '../../shared/stats/plan-repeats.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { compareSides } from './compare-sides.ts';
import { planSizeText } from './figure-words.ts';
import { type ComparisonPlan, planComparison } from './plan-comparison.ts';
import { collectSide } from './side-collector.ts';

async function planned(
  a: readonly string[],
  b?: readonly string[],
  wanted: { readonly metric?: string; readonly difference?: number } = {},
): Promise<ComparisonPlan> {
  const side = (label: string, endings: readonly string[]) =>
    collectSide(sideSource(label, recordsOf(Object.fromEntries(endings.map((signs, index) => [`c${index}`, signs])))));
  return planComparison(await side('a', a), b && (await side('b', b)), { metric: 'pass-rate', ...wanted });
}

describe('a plan', () => {
  const coins = ['+-+-', '-+-+', '++--', '--++', '+--+', '-++-', '+-+-', '-+-+'];

  it('follows from how the repeats of one run vary, on two sides', async () => {
    const { plan, difference, repeats, cases } = await planned(coins);
    expect({ difference, repeats, cases }).toEqual({ difference: 0.05, repeats: 4, cases: 8 });
    // Each case passes 2 of 4 times: a variance of 1/3 on each side.
    const observed = { units: 8, betweenUnits: null, withinUnit: 2 / 3, unsettledShare: 0.9 };
    const expected = planRepeats(observed, 0.05, 4, true);
    expect(plan).toMatchObject({ repeats: expected.repeats, trials: 2 * 8 * (expected.repeats ?? 0) });
    expect(expected.repeats).toBeGreaterThan(100);
    expect(plan?.costUsd).toBeCloseTo(0.01 * (plan?.trials ?? 0), 9);
  });

  it('takes fewer repeats for a larger difference', async () => {
    const small = (await planned(coins, undefined, { difference: 0.1 })).plan?.repeats ?? 0;
    const large = (await planned(coins, undefined, { difference: 0.3 })).plan?.repeats ?? 0;
    expect(large).toBeGreaterThan(0);
    expect(large).toBeLessThan(small);
  });

  it('asks for cases where repeats are not enough', async () => {
    const { plan } = await planned(
      ['++++', '++++', '----', '++++', '----', '----'],
      ['----', '----', '++++', '++++', '++++', '----'],
    );
    expect(plan?.repeats).toBeNull();
    expect(plan?.cases).toBeGreaterThan(6);
    expect(plan?.trials).toBe(2 * 4 * (plan?.cases ?? 0));
  });

  it('counts scenarios where they are the sample', async () => {
    const records = ['s1', 's2', 's3'].flatMap((scenario) =>
      recordsOf({ one: '+-', two: '-+', three: '++' }, { scenario, file: `${scenario}.yaml` }),
    );
    const { plan, unitKind, cases } = planComparison(await collectSide(sideSource('a', records)), undefined, {
      metric: 'pass-rate',
    });
    expect({ unitKind, cases }).toEqual({ unitKind: 'scenario', cases: 9 });
    expect(planSizeText(plan ?? { repeats: null, cases: 0 }, { cases, unitKind, tries: 2 })).toMatch(
      /^\d+ scenarios as large as these x 2 repeats$/,
    );
  });

  it('says that few cases stay few', async () => {
    const { plan, notes } = await planned(['+-', '-+']);
    expect(plan?.repeats).toBeNull();
    expect(notes.join(' ')).toContain('Only 2 cases: conclusions about others need at least 6 that differ');
  });

  it('takes all scatter for chance when each case of one run was tried once', async () => {
    const { plan, notes } = await planned(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? '+' : '-')));
    expect(plan?.repeats).toBeGreaterThan(1);
    expect(notes.join(' ')).toContain('attributed to chance');
  });

  it('plans cases only when each case of two runs was tried once', async () => {
    const ones = ['+', '-', '+', '-', '+', '-', '+', '-'];
    const { plan, notes } = await planned(ones, [...ones].reverse());
    expect(plan?.repeats).toBeNull();
    expect(notes.join(' ')).toContain('only the number of cases can be planned');
  });

  it('is the one that a comparison of the same runs gives', async () => {
    for (const [before, now] of [
      [Array<string>(20).fill('+++++'), Array<string>(20).fill('+++++')],
      [coins, [...coins].reverse()],
      [
        ['+', '-', '+', '-', '+', '-', '+', '-'],
        ['+', '+', '+', '-', '+', '-', '-', '-'],
      ],
    ] as const) {
      const side = (label: string, endings: readonly string[]) =>
        sideSource(label, recordsOf(Object.fromEntries(endings.map((signs, index) => [`c${index}`, signs]))));
      const comparison = await compareSides(side('a', before), side('b', now));
      expect((await planned(before, now)).plan).toEqual(comparison.metrics[0]?.plan);
    }
  });

  it('is none for a figure that no case has, or without cases', async () => {
    expect(await planned(coins, undefined, { metric: 'missing' })).toMatchObject({ plan: null, cases: 0, repeats: 0 });
    expect((await planned([])).plan).toBeNull();
  });
});
