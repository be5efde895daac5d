import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Variant } from '../../../domain/variant.ts';
import { recordsOf, sideSource } from '../../../testing/fakes/compare/compared-sides.ts';
import { collectSidesBy } from '../side-collector.ts';
import { compareVariants, type VariantChoice } from './compare-variants.ts';
import type { VariantTable } from './variant-table.ts';

const endings = (signs: string, count = 12, first = 0): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${first + index}`, signs]));

function trials(variant: Variant, cases: Record<string, string>, costUsd: number | null = 0.01): TrialRecord[] {
  return recordsOf(cases, { variant, costUsd });
}

async function tableOf(records: readonly TrialRecord[], choice: Partial<VariantChoice> = {}): Promise<VariantTable> {
  const placed = records.map((record, ordinal) => ({ ...record, ordinal, trialId: `t-${ordinal}` }));
  const sides = await collectSidesBy(sideSource('r', placed), 'guidance');
  return compareVariants([...sides.values()], { by: 'guidance', ...choice });
}

const row = (table: VariantTable, label: string) => table.variants.find((variant) => variant.label === label);

describe('a table of variants', () => {
  it('names the best, the ranks, what a success costs, and who is dominated', async () => {
    const table = await tableOf([
      ...trials({ guidance: 'none' }, endings('+---+---'), 0.01),
      ...trials({ guidance: 'clear' }, endings('++++++++'), 0.02),
      ...trials({ guidance: 'long' }, endings('++--++--'), 0.08),
    ]);
    expect(table.best).toMatchObject({ kind: 'one', labels: ['clear'], errorRate: 0.05, isOnTheseCases: false });
    expect(table.summary).toBe('clear is the best of 3 variants by pass rate (error rate at most 5 %).');
    expect(table.variants.map(({ label, rank }) => [label, rank])).toEqual([
      ['clear', { best: 1, worst: 1 }],
      ['long', { best: 2, worst: 2 }],
      ['none', { best: 3, worst: 3 }],
    ]);
    const [cost] = row(table, 'none')?.perSuccess ?? [];
    expect(cost).toMatchObject({ name: 'cost-usd', reason: null });
    expect(cost?.value).toBeCloseTo(0.04, 10);
    expect(cost?.interval?.low).toBeLessThan(0.04);
    expect(cost?.interval?.high).toBeGreaterThan(0.04);
    expect(row(table, 'long')?.front[0]).toMatchObject({
      against: 'cost-usd',
      isOnFront: false,
      dominatedBy: ['clear'],
      certainlyDominatedBy: ['clear'],
    });
    expect(row(table, 'none')?.front[0]?.isOnFront).toBe(true);
    expect(row(table, 'clear')?.differences[0]).toMatchObject({
      name: 'pass-rate',
      answer: 'better',
      difference: 0.75,
    });
    expect(row(table, 'none')?.differences).toEqual([]);
  });

  it('distinguishes no variants that are alike, whichever is the reference', async () => {
    const records = ['a', 'b', 'c', 'd'].flatMap((guidance) => trials({ guidance }, endings('+-+-')));
    for (const reference of ['a', 'd']) {
      const table = await tableOf(records, { reference });
      expect(table).toMatchObject({ reference, best: { kind: 'several', labels: ['a', 'b', 'c', 'd'] } });
      expect(table.variants.every(({ rank }) => rank?.best === 1 && rank.worst === 4)).toBe(true);
      expect(table.variants.every(({ front }) => front.every(({ isOnFront }) => isOnFront))).toBe(true);
    }
  });

  it('says nothing of the cost of a success where nothing passed or a cost is unknown', async () => {
    const table = await tableOf([
      ...trials({ guidance: 'failing' }, endings('--')),
      ...trials({ guidance: 'unknown' }, endings('+-'), null),
      ...trials({ guidance: 'fine' }, endings('++')),
    ]);
    const costOf = (label: string) => row(table, label)?.perSuccess.find(({ name }) => name === 'cost-usd');
    expect(costOf('failing')).toMatchObject({ value: null, interval: { high: null }, reason: 'no trial passed' });
    expect(costOf('failing')?.interval?.low).toBeGreaterThan(0.01);
    const reason = 'cost-usd was not observed in 24 of 24 judged trials';
    expect(costOf('unknown')).toMatchObject({ value: null, interval: null, reason });
    expect(table.notes).toContain(`unknown is left out of the Pareto front against cost: ${reason}.`);
    expect(costOf('fine')?.value).toBeCloseTo(0.01, 10);
  });

  it('does not take the mean of the known costs for that of all', async () => {
    const table = await tableOf([
      ...trials({ guidance: 'partly' }, endings('+', 6), null),
      ...trials({ guidance: 'partly' }, endings('+', 6, 6), 0.001),
      ...trials({ guidance: 'known' }, endings('+'), 0.01),
      ...trials({ guidance: 'free' }, endings('-'), 0),
    ]);
    const placesOf = (label: string) => row(table, label)?.front.filter(({ against }) => against === 'cost-usd');
    expect(placesOf('partly')).toEqual([]);
    expect(row(table, 'partly')?.perSuccess[0]?.reason).toBe('cost-usd was not observed in 6 of 12 judged trials');
    expect(placesOf('known')).toMatchObject([{ isOnFront: true }]);
    expect(placesOf('free')).toMatchObject([{ isOnFront: true }]);
  });

  it('says why no variant has a cost', async () => {
    const costs = (costUsd: number | null) =>
      tableOf(['a', 'b', 'c'].flatMap((guidance) => trials({ guidance }, endings('+'), costUsd)));
    expect((await costs(null)).notes.join()).toContain('cost-usd was not observed in any judged trial');
    expect((await costs(0)).notes.join()).toContain('cost-usd was always 0');
  });

  it('ranks nothing where no case was judged', async () => {
    const table = await tableOf(['a', 'b', 'c'].flatMap((guidance) => trials({ guidance }, endings('!!'))));
    expect(table.best).toMatchObject({ kind: 'none', labels: [] });
    expect(table.summary).toBe('The variants cannot be ranked by pass rate.');
    expect(table.variants.every(({ rank, differences }) => rank === null && differences.length === 0)).toBe(true);
    expect(table.notes).toContain('No case was judged under the reference and another variant.');
  });

  it('limits its statement to the tried tasks where there are few', async () => {
    const many = '+'.repeat(12);
    const table = await tableOf([
      ...trials({ guidance: 'a' }, { one: '-'.repeat(12) }),
      ...trials({ guidance: 'b' }, { one: many }),
      ...trials({ guidance: 'c' }, { one: '-'.repeat(12) }),
    ]);
    expect(table.best).toMatchObject({ kind: 'one', labels: ['b'], isOnTheseCases: true });
    expect(table.summary).toContain('on these tasks');
  });

  it('names cases that not all variants have', async () => {
    const table = await tableOf([
      ...trials({ guidance: 'a' }, endings('+', 10)),
      ...trials({ guidance: 'b' }, endings('+', 8)),
      ...trials({ guidance: 'c' }, endings('+', 10)),
    ]);
    expect(table.notes.find((note) => note.startsWith('Only 8 of 10 cases'))).toBeDefined();
  });
});

describe('what a table of variants warns about', () => {
  it('states an interaction with another part, and none where there is none', async () => {
    const of = (agent: string, terse: string) => [
      ...trials({ guidance: 'full', agent }, endings('++--')),
      ...trials({ guidance: 'terse', agent }, endings(terse)),
    ];
    const table = await tableOf([...of('codex', '++++'), ...of('claude', '----')]);
    expect(table.interactions).toHaveLength(1);
    expect(table.interactions[0]).toMatchObject({
      part: 'agent',
      label: 'terse',
      values: ['codex', 'claude'],
      differences: [0.5, -0.5],
      isCertain: true,
      isOpposite: true,
    });
    expect(table.interactions[0]?.summary).toContain('+50 points with agent codex and −50 points with agent claude');
    const alike = await tableOf([...of('codex', '++++'), ...of('claude', '++++')]);
    expect(alike.interactions.map(({ isCertain }) => isCertain)).toEqual([false]);
  });

  it('names a total that says the opposite of its parts', async () => {
    // `new` is better on each agent, but was tried more often with the one that fails more.
    const table = await tableOf([
      ...trials({ guidance: 'old', agent: 'strong' }, endings('++++++++--')),
      ...trials({ guidance: 'old', agent: 'weak' }, endings('+----')),
      ...trials({ guidance: 'new', agent: 'strong' }, endings('+++++')),
      ...trials({ guidance: 'new', agent: 'weak' }, endings('++++------------')),
    ]);
    expect(table.traps).toHaveLength(1);
    expect(table.traps[0]).toMatchObject({ label: 'new', by: 'agent' });
    expect(table.traps[0]?.summary).toContain('new looks worse than old over all trials together');
    expect(table.traps[0]?.pooled).toBeLessThan(0);
    expect(table.traps[0]?.paired).toBeGreaterThan(0);
  });
});
