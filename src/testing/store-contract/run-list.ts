import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../keep/store/store.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** Cursors that no list has given. */
export const brokenCursors = [
  '',
  'x',
  '!!!',
  'bnVsbA',
  'W10',
  'WzEsMl0',
  "'; drop table runs; --",
  'A'.repeat(100_000),
];

/** Runs are listed in pages, and filtered. */
export function describeRunList(store: () => Store): void {
  describe('lists of runs', () => {
    beforeEach(() => createListedRuns(store()));

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

    it('have the commit that each was run at', async () => {
      const source = { commit: 'c0ffee', branch: null, author: 'Ada', isDirty: true };
      await store().createRun(runHeader('r-committed', { startedAt: 2_000, source }));
      expect((await store().readRunRows({ limit: 1 })).items.map(({ run }) => run.source)).toEqual([source]);
      expect((await store().findRun('r-committed'))?.source).toEqual(source);
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
}

/** Names and labels of runs are kept, and runs are found by them. */
export function describeRunLabels(store: () => Store): void {
  describe('names, tags, notes and the archive', () => {
    beforeEach(() => createListedRuns(store()));

    it('leave archived runs out where that is requested, and find runs by what people added', async () => {
      const idsOf = async (request: { text?: string; isArchived?: boolean }) =>
        (await store().readRunRows({ limit: 100, ...request })).items.map(({ run }) => run.runId);
      expect(
        await store().labelRun('r-3', { name: 'Before "the" fix', tags: ['Weekly', 'Weekly'], notes: 'a\nb' }),
      ).toBe(true);
      expect(await store().labelRun('r-24', { isArchived: true, notes: '"isArchived":false' })).toBe(true);
      expect(await store().labelRun('r-none', { notes: 'x' })).toBe(false);
      expect(await store().findRun('r-3')).toMatchObject({
        request: { name: 'Before "the" fix' },
        labels: { tags: ['Weekly'], notes: 'a\nb' },
      });
      expect(await idsOf({ text: '"the" FIX' })).toEqual(['r-3']);
      expect(await idsOf({ text: 'weekly' })).toEqual(['r-3']);
      expect(await idsOf({ text: 'tags' })).toEqual([]);
      expect(await idsOf({ isArchived: true })).toEqual(['r-24']);
      expect(await idsOf({ isArchived: false })).toHaveLength(24);
      expect(await Promise.all([undefined, true, false].map((which) => store().countRuns(which)))).toEqual([25, 1, 24]);
      expect(await idsOf({})).toHaveLength(25);
      expect((await store().findRun('latest'))?.runId).toBe('r-23');
      await store().labelRun('r-24', { isArchived: false, notes: '' });
      await store().labelRun('r-3', { name: '' });
      expect((await store().findRun('latest'))?.labels).toEqual({});
      expect(await store().findRun('r-3')).toMatchObject({ labels: { tags: ['Weekly'] } });
      expect((await store().findRun('r-3'))?.request).not.toHaveProperty('name');
    });
  });
}

async function createListedRuns(store: Store): Promise<void> {
  for (let index = 0; index < 25; index++) {
    const name = index === 7 ? { name: 'Nightly ÄPFEL "a\\b"' } : {};
    const request = { ...runHeader('r').request, ...name };
    const status = index % 5 === 0 ? 'interrupted' : 'finished';
    // Several began in the same millisecond.
    await store.createRun(runHeader(`r-${index}`, { startedAt: Math.floor(index / 4), status, request }));
  }
}

/** The runs that a page of a scenario draws. */
export function describeRunsOfScenario(store: () => Store): void {
  it('lists the runs that ran a scenario themselves and have ended, whatever else has its name', async () => {
    const scenario = "it's 100 %, alpha";
    const ended = { status: 'finished', finishedAt: 100 } as const;
    const { request } = runHeader('r');
    const made = { ...request, origin: { kind: 'import', format: 'x', file: 'x' } as const };
    await store().createRun(runHeader('r-1', { ...ended, startedAt: 1 }));
    await store().createRun(runHeader('r-2', { ...ended, startedAt: 2, request: { ...request, name: scenario } }));
    await store().createRun(runHeader('r-3', { ...ended, startedAt: 3, request: made }));
    await store().createRun(runHeader('r-4', { startedAt: 4 }));
    await store().createRun(runHeader('r-5', { ...ended, startedAt: 5 }));
    await store().saveTrials([
      ...['r-1', 'r-3', 'r-4', 'r-5'].map((runId) => finishedTrial(runId, 0, { scenario })),
      finishedTrial('r-2', 0, { scenario: `${scenario} and more` }),
    ]);
    const ids = async (limit: number) => (await store().listRunsOfScenario(scenario, limit)).map(({ runId }) => runId);
    expect(await ids(10)).toEqual(['r-5', 'r-1']);
    expect(await ids(1)).toEqual(['r-5']);
  });
}
