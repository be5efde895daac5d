import { beforeEach, describe, expect, it } from 'vitest';
import type { Variant } from '../domain/variant.ts';
import type { FinishedTrial, Page, Store, TrialRow, TrialRowRequest } from '../keep/store/store.ts';
import { finishedTrial, runHeader } from './samples.ts';

const brokenCursors = ['', 'x', '!!!', 'bnVsbA', 'W10', 'WzEsMl0', "'; drop table runs; --", 'A'.repeat(100_000)];

/** Behaviour of every store for lists; `store` gives the empty store of the test. */
export function describeStoreLists(store: () => Store): void {
  describe('lists of runs', () => {
    beforeEach(async () => {
      for (let index = 0; index < 25; index++) {
        const name = index === 7 ? { name: 'Nightly ÄPFEL "a\\b"' } : {};
        const request = { ...runHeader('r').request, ...name };
        const status = index % 5 === 0 ? 'interrupted' : 'finished';
        // Several began in the same millisecond.
        await store().createRun(runHeader(`r-${index}`, { startedAt: Math.floor(index / 4), status, request }));
      }
    });

    it('come in pages, the newest first, and each run once', async () => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().readRunRows({ limit: 10, cursor });
        ids.push(...page.items.map(({ run }) => run.runId));
        // A run that begins meanwhile is newer than all on later pages.
        await store().createRun(runHeader(`r-later-${ids.length}`, { startedAt: 1_000 }));
        cursor = page.next ?? undefined;
      } while (cursor);
      expect(ids).toHaveLength(25);
      expect(ids).toEqual((await store().listRuns(100)).map(({ runId }) => runId).slice(3));
    });

    it('show how trials ended', async () => {
      await store().saveTrials([finishedTrial('r-24', 0), finishedTrial('r-24', 1, { outcome: 'fail' })]);
      const { items } = await store().readRunRows({ limit: 2 });
      expect(items.map(({ run, counts }) => [run.runId, counts.pass, counts.fail, counts.cost.knownUsd])).toEqual([
        ['r-24', 1, 1, 0.5],
        ['r-23', 0, 0, 0],
      ]);
    });

    it('are filtered by status, time and text', async () => {
      const idsOf = async (request: { status?: 'interrupted'; since?: number; text?: string }) =>
        (await store().readRunRows({ limit: 100, ...request })).items.map(({ run }) => run.runId);
      expect(await idsOf({ status: 'interrupted' })).toEqual(['r-20', 'r-15', 'r-10', 'r-5', 'r-0']);
      expect(await idsOf({ since: 6 })).toEqual(['r-24']);
      expect(await idsOf({ text: 'äpfel' })).toEqual(['r-7']);
      expect(await idsOf({ text: '"A\\B"' })).toEqual(['r-7']);
      expect(await idsOf({ text: 'R-1', since: 4 })).toEqual(['r-19', 'r-18', 'r-17', 'r-16']);
      expect(await idsOf({ text: 'SAMPLE.yaml' })).toHaveLength(25);
      // Names of fields of stored documents are no text of a run.
      expect(await idsOf({ text: 'contentHash' })).toEqual([]);
      for (const text of ['%', '_', '*', '?', '[', '.*', '\\', "'", '\0'])
        expect(await idsOf({ text }), text).toEqual(text === '\\' ? ['r-7'] : []);
    });

    it('have a next page only where there is something on it', async () => {
      const first = await store().readRunRows({ limit: 24 });
      expect(first.next).not.toBeNull();
      const second = await store().readRunRows({ limit: 24, cursor: first.next ?? undefined });
      expect(second).toMatchObject({ items: [{}], next: null });
      expect((await store().readRunRows({ limit: 3, text: 'r-1', since: 4 })).next).not.toBeNull();
      expect((await store().readRunRows({ limit: 4, text: 'r-1', since: 4 })).next).toBeNull();
    });

    it('refuse cursors that they did not give', async () => {
      for (const cursor of brokenCursors)
        await expect(store().readRunRows({ limit: 10, cursor }), cursor.slice(0, 40)).rejects.toMatchObject({
          code: 'USAGE',
        });
    });
  });

  describe('lists of trials', () => {
    const trials = Array.from({ length: 60 }, (_, index) => listedTrial(index));
    beforeEach(() => store().saveTrials([...trials.slice(30), ...trials.slice(0, 30), finishedTrial('r-2', 0)]));
    const all = (request: Omit<TrialRowRequest, 'limit'>, limit = 7) =>
      readAll((cursor) => store().readTrialRows('r-1', { limit, cursor, ...request }));

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
        expect(await all({ order }), order).toEqual(expected);
        expect(await all({ order, isDescending: true }), `${order} backwards`).toEqual(expected.reverse());
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

    it('are filtered by outcome, scenario, variant and text', async () => {
      const ordinals = async (request: Omit<TrialRowRequest, 'limit'>) =>
        (await all(request)).map(({ ordinal }) => ordinal);
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

    it('refuse texts without end', async () => {
      await expect(store().readTrialRows('r-1', { limit: 5, text: 'x'.repeat(100_000) })).rejects.toMatchObject({
        code: 'USAGE',
      });
    });

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
        reused: 0,
        durationMs: 0.25 + 3.25 + 6.25 + 2.25,
        costUsd: 0.1 * 4,
      });
      // Of the trials 30, 33, 36 and 39, one reported neither how long it took nor what it cost.
      expect(cells.find(({ scenario }) => scenario === 'scenario 3')).toMatchObject({
        durationMs: null,
        costUsd: null,
      });
      expect(await store().countByCell('r-none')).toEqual([]);
      expect(await store().countByCase('r-none')).toEqual([]);
    });
  });
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
  return { ...named, ...figures, ...tokens };
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
