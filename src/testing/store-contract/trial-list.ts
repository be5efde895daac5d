import { beforeEach, describe, expect, it } from 'vitest';
import type { Variant } from '../../domain/variant.ts';
import type { FinishedTrial, Page, Store, TrialRow, TrialRowRequest } from '../../keep/store/store.ts';
import { finishedTrial } from '../samples.ts';
import { brokenCursors } from './run-list.ts';

/** Trials are listed in any order, filtered, and counted by cell. */
export function describeTrialList(store: () => Store): void {
  describe('lists of trials', () => {
    beforeEach(() => store().saveTrials([...trials.slice(30), ...trials.slice(0, 30), finishedTrial('r-2', 0)]));
    describePages(store);
    describeFilters(store);
    describeCells(store);
  });
}

function describePages(store: () => Store): void {
  it('hold what is known of a trial without its documents', async () => {
    const { items } = await store().readTrialRows('r-1', { limit: 1 });
    expect(items).toEqual([rowOf(trials[0] ?? listedTrial(0))]);
  });

  it('come in any order, unreported values before the rest, forwards and backwards, each trial once', async () => {
    const figures = { plan: 'ordinal', started: 'startedAt', duration: 'durationMs', cost: 'costUsd' } as const;
    for (const [order, figure] of Object.entries(figures) as [keyof typeof figures, keyof TrialRow][]) {
      const expected = trials
        .map(rowOf)
        .sort((a, b) => Number(a[figure] ?? -1) - Number(b[figure] ?? -1) || a.ordinal - b.ordinal);
      expect(await allRows(store(), { order }), order).toEqual(expected);
      expect(await allRows(store(), { order, isDescending: true }), `${order} backwards`).toEqual(expected.reverse());
    }
  });

  it('go on where they were when trials are stored meanwhile', async () => {
    const first = await store().readTrialRows('r-1', { limit: 20, order: 'duration' });
    const quick = listedTrial(100);
    await store().saveTrials([{ ...quick, record: { ...quick.record, durationMs: 0.1 } }, listedTrial(104)]);
    const rest = await readAll((cursor = first.next ?? '') =>
      store().readTrialRows('r-1', { limit: 20, order: 'duration', cursor }),
    );
    const ids = [...first.items, ...rest].map(({ trialId }) => trialId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(61);
  });

  it('refuse cursors that they did not give, and those of lists in another order', async () => {
    const { next } = await store().readTrialRows('r-1', { limit: 5, order: 'cost' });
    for (const cursor of [...brokenCursors, next ?? ''])
      await expect(store().readTrialRows('r-1', { limit: 5, cursor }), cursor.slice(0, 40)).rejects.toMatchObject({
        code: 'USAGE',
      });
    const isDescending = true;
    await expect(
      store().readTrialRows('r-1', { limit: 5, order: 'cost', isDescending, cursor: next ?? '' }),
    ).rejects.toMatchObject({ code: 'USAGE' });
  });
}

function describeFilters(store: () => Store): void {
  it('are filtered by outcome, scenario, variant and text', async () => {
    const ordinals = async (request: Omit<TrialRowRequest, 'limit'>) =>
      (await allRows(store(), request)).map(({ ordinal }) => ordinal);
    expect(await ordinals({ outcomes: ['fail'] })).toEqual([0, 10, 20, 30, 40, 50]);
    expect(await ordinals({ outcomes: ['fail', 'error'], scenario: 'scenario 2' })).toEqual([20, 21]);
    expect(await ordinals({ scenario: 'scenario 9' })).toEqual([]);
    const variant: Variant = { model: 'm-1', agent: 'codex' };
    expect(await ordinals({ variant, scenario: 'scenario 0' })).toEqual([1, 4, 7]);
    expect(await ordinals({ variant: { agent: 'codex' } })).toEqual([]);
    expect(await ordinals({ variant: {} })).toEqual([]);
    expect(await ordinals({ text: 'SCENARIO 3' })).toHaveLength(10);
    expect(await ordinals({ text: 'CASE-17' })).toEqual([17]);
    expect(await ordinals({ text: 'ÜBER*[9]' })).toEqual([9]);
    expect(await ordinals({ text: 'M-2', outcomes: ['fail'] })).toEqual([20, 50]);
    expect(await ordinals({ text: trials[33]?.record.trialId.toUpperCase() })).toEqual([33]);
    expect(await ordinals({ text: '[' })).toEqual([9]);
    for (const text of ['%', '?', '.*', '\\', 'model', '\0']) expect(await ordinals({ text }), text).toEqual([]);
  });

  it('refuse texts without end', async () => {
    await expect(store().readTrialRows('r-1', { limit: 5, text: 'x'.repeat(100_000) })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
}

function describeCells(store: () => Store): void {
  it('are counted by cell', async () => {
    const cells = await store().countByCell('r-1');
    expect(cells).toHaveLength(18);
    expect(cells[0]).toEqual({
      scenario: 'scenario 0',
      file: 'scenario 0.yaml',
      variant: { agent: 'codex', model: 'm-0' },
      pass: 3,
      fail: 1,
      error: 0,
      skipped: 0,
      notJudged: 0,
      marks: {},
      durationMs: 0.25 + 3.25 + 6.25 + 2.25,
      costUsd: 0.1 * 4,
    });
    // Of the trials 30, 33, 36 and 39, one reported neither how long it took nor what it cost.
    expect(cells.find(({ scenario }) => scenario === 'scenario 3')).toMatchObject({
      durationMs: null,
      costUsd: null,
    });
    expect(await store().countByCell('r-none')).toEqual([]);
    expect([...(await store().countByCase('r-none'))]).toEqual([]);
  });
}

const trials = Array.from({ length: 60 }, (_, index) => listedTrial(index));

/** All rows of a list, read page by page. */
function allRows(store: Store, request: Omit<TrialRowRequest, 'limit'>): Promise<TrialRow[]> {
  return readAll((cursor) => store.readTrialRows('r-1', { limit: 7, cursor, ...request }));
}

function listedTrial(ordinal: number): FinishedTrial {
  const outcome = ordinal % 10 === 0 ? 'fail' : ordinal % 10 === 1 ? 'error' : 'pass';
  const scenario = `scenario ${Math.floor(ordinal / 10)}`;
  const { record, trace } = finishedTrial('r-1', ordinal, { outcome, scenario, withFault: outcome === 'error' });
  const variant = { agent: 'codex', model: `m-${ordinal % 3}` };
  const reason = ordinal === 9 ? 'über*[9]' : 'because';
  const isReported = ordinal < 30 || ordinal >= 60 || ordinal % 4 !== 0;
  const figures = {
    durationMs: isReported ? (ordinal % 7) + 0.25 : null,
    costUsd: isReported ? 0.1 : null,
    startedAt: 5_000 - Math.floor(ordinal / 3),
  };
  return { trace, record: { ...record, ...figures, variant, reason } };
}

function rowOf({ record }: FinishedTrial): TrialRow {
  const { trialId, runId, ordinal, scenario, file, caseId, variant, repeat, outcome, reason } = record;
  const { startedAt, durationMs, costUsd, usage, fault } = record;
  const figures = { startedAt, durationMs, costUsd, faultCode: fault?.code ?? null };
  const tokens = { inputTokens: usage?.inputTokens ?? null, outputTokens: usage?.outputTokens ?? null };
  const named = { trialId, runId, ordinal, scenario, file, caseId, variant, repeat, outcome, reason };
  return { ...named, ...figures, ...tokens, marks: [] };
}

async function readAll<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    items.push(...page.items);
    if (page.next === null) return items;
    cursor = page.next;
  }
}
