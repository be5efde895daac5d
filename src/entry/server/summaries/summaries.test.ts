import { describe, expect, it } from 'vitest';
import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import { summarize } from '../../../compose/summaries/summarize.ts';
import { openStore } from '../../../keep/store/open-store.ts';
import { finishedTrial } from '../../../testing/samples.ts';
import { fillStore } from '../../../testing/support/drawn-run.ts';
import { orderCases } from '../grid/case-order.ts';
import type { GridSelection } from '../grid/grid-query.ts';
import { orderTrials, type TrialSelection } from '../grid/trial-order.ts';
import { compareRuns, compareVariants } from '../work/comparisons.ts';

const everything: GridSelection = { regex: false, differs: false, sort: 'plan', direction: 'asc' };
const gridSelections: readonly Partial<GridSelection>[] = [
  ...['plan', 'problems', 'passed', 'duration', 'cost', 'e:called', 'm:calls', 'm:nothing'].flatMap((sort) =>
    (['asc', 'desc'] as const).map((direction) => ({ sort, direction })),
  ),
  { text: 'refund ORDER' },
  { text: 'i̇stanbul' },
  { text: 'found a' },
  { text: 'SCENARIO 1' },
  { text: 'nowhere' },
  { text: '(Refund|the) order', regex: true, sort: 'duration' },
  { text: '^row-1', regex: true },
  { where: 'topic=x', sort: 'cost' },
  { where: 'topic' },
  { where: 'other=x' },
  { outcome: 'fail', scenario: 'scenario 1', sort: 'problems' },
  { variant: '{"model":"two"}', sort: 'm:calls' },
  { differs: true },
];
const trialSelections: readonly TrialSelection[] = [
  ...(['plan', 'started', 'duration', 'cost'] as const).flatMap((order) =>
    [true, false].map((isDescending) => ({ order, isDescending })),
  ),
  { text: 'REFUND', order: 'duration' },
  { text: 'two' },
  { text: 'Scenario 1' },
  { text: 'row-1', outcomes: ['pass'] },
  { variant: { model: 'one' }, scenario: 'scenario 1' },
];

describe('the summary of a run', () => {
  it('puts cases and trials in the order in which reading all of them does', async () => {
    for (const seed of [1, 2]) {
      await using store = await openStore('sqlite::memory:', '.');
      const run = await fillStore(store, `r-${seed}`, 160, seed);
      const selections = gridSelections.map((selection) => ({ ...everything, ...selection }));
      const read = [];
      for (const selection of selections) read.push(await orderCases(store, run, selection));
      await summarize(store, run);
      const { readTrials } = store;
      store.readTrials = () => Promise.reject(new Error('A trial was read.'));
      for (const [index, selection] of selections.entries())
        expect(await orderCases(store, run, selection), JSON.stringify(selection)).toEqual(read[index]);
      for (const selection of trialSelections) {
        const { items } = await store.readTrialRows(run.runId, { ...selection, limit: 300 });
        const places = await orderTrials(store, run, selection);
        expect([...places], JSON.stringify(selection)).toEqual(items.map(({ ordinal }) => ordinal));
      }
      store.readTrials = readTrials;
    }
  });

  it('has the variants of the run, which compare as they do when its trials are read', async () => {
    for (const seed of [3, 4]) {
      await using store = await openStore('sqlite::memory:', '.');
      const run = await fillStore(store, `r-${seed}`, 320, seed);
      const query = { a: run.runId, by: 'model', valueA: 'one', valueB: 'two', force: true } as const;
      const compared = async () => [
        await compareRuns(store, { a: run, b: run, query }),
        await compareVariants(store, { run, query: { by: 'model', force: false } }),
        await compareVariants(store, { run, query: { by: 'model', reference: 'two', force: true } }),
      ];
      const read = await compared();
      await summarize(store, run);
      store.readTrials = () => Promise.reject(new Error('A trial was read.'));
      expect(await compared()).toEqual(read);
    }
  });

  it('is made again after trials were added or replaced, and where it is damaged', async () => {
    await using store = await openStore('sqlite::memory:', '.');
    const run = await fillStore(store, 'r-1', 40);
    const isKept = async () => (await (await KeptResults.of([run], store))?.read('columns')) !== undefined;
    await summarize(store, run);
    expect(await isKept()).toBe(true);
    await store.saveTrials([finishedTrial('r-1', 41)]);
    expect(await isKept()).toBe(false);
    await summarize(store, run);
    expect(await isKept()).toBe(true);
    const { record, trace } = finishedTrial('r-1', 41);
    await store.replaceTrials([{ trace, record: { ...record, reason: 'another', durationMs: 7 } }]);
    expect(await isKept()).toBe(false);
    await summarize(store, run);
    const kept = await KeptResults.of([run], store);
    const { readSummary } = store;
    store.readSummary = async (...given) => (await readSummary(...given))?.map((byte) => byte ^ 0xff);
    expect(await kept?.read('columns')).toBeUndefined();
  });
});
