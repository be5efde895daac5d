import { expect, it } from 'vitest';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { finishedTrial } from '../samples.ts';

/** Trials are stored once, and given back as they were saved. */
export function describeSavedTrials(store: () => Store): void {
  it('gives back records and traces as they were saved', async () => {
    const first = finishedTrial('r-1', 0);
    const second = finishedTrial('r-1', 1, { outcome: 'error', withFault: true });
    await store().saveTrials([first, second]);
    expect(await store().findTrial(first.record.trialId)).toEqual(first.record);
    expect(await store().findTrial(second.record.trialId)).toEqual(second.record);
    expect(await store().readTrace(second.record.trialId)).toEqual(second.trace);
    expect(await store().readTrace('t-none')).toBeUndefined();
  });

  it('gives back trials whose texts are no proper text', async () => {
    const odd = 'half a pair \ud83d, a NUL \u0000, an end';
    const { record, trace } = finishedTrial('r-1', 0);
    const message = { type: 'message', role: 'assistant', text: odd, at: 1, seenBy: 'agent' } as const;
    await store().saveTrials([{ record: { ...record, reason: odd, caseId: odd }, trace: [...trace, message] }]);
    const kept = 'half a pair \ufffd, a NUL \u2400, an end';
    expect(await store().findTrial(record.trialId)).toEqual({ ...record, reason: kept, caseId: kept });
    expect((await store().readTrace(record.trialId))?.at(-1)).toEqual(message);
    expect(await store().readTrials('r-1', { limit: 10 })).toHaveLength(1);
  });

  it('stores a trial once, and keeps what was stored first', async () => {
    await store().saveTrials([finishedTrial('r-1', 0)]);
    await store().saveTrials([finishedTrial('r-1', 0, { outcome: 'fail' }), finishedTrial('r-1', 1)]);
    expect(await store().countTrials('r-1')).toMatchObject({ pass: 2, fail: 0 });
  });

  it('puts trials in the place of stored ones, and counts them once', async () => {
    await store().saveTrials([finishedTrial('r-1', 0), finishedTrial('r-1', 1)]);
    const later = finishedTrial('r-1', 0, { outcome: 'fail', output: 'more was seen' });
    for (const _ of ['once', 'twice']) await store().replaceTrials([later, finishedTrial('r-1', 2)]);
    expect(await store().findTrial(later.record.trialId)).toEqual(later.record);
    expect(await store().readTrace(later.record.trialId)).toEqual(later.trace);
    expect(await store().countTrials('r-1')).toMatchObject({ pass: 2, fail: 1 });
    expect((await store().readTrials('r-1', { limit: 10 })).map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
  });

  it('lists which trials are stored', async () => {
    await store().saveTrials([finishedTrial('r-1', 0)]);
    const stored = finishedTrial('r-1', 0).record.trialId;
    expect(await store().storedTrialIds([stored, 't-other'])).toEqual(new Set([stored]));
    expect(await store().storedTrialIds([])).toEqual(new Set());
  });

  it('keeps documents of a megabyte apart from small neighbours', async () => {
    const large = finishedTrial('r-1', 1, { output: 'x'.repeat(3_000_000) });
    await store().saveTrials([finishedTrial('r-1', 0), large, finishedTrial('r-1', 2)]);
    expect(await store().readTrace(large.record.trialId)).toEqual(large.trace);
    expect((await store().readTrials('r-1', { limit: 10 })).length).toBe(3);
  });
}

/** Trials are read by page, by outcome, by problem and by name. */
export function describeReadTrials(store: () => Store): void {
  it('reads trials in plan order, in pages, by outcome', async () => {
    const trials = Array.from({ length: 25 }, (_, index) =>
      finishedTrial('r-1', index, { outcome: index % 5 === 0 ? 'fail' : 'pass' }),
    );
    await store().saveTrials([...trials].reverse());
    const firstPage = await store().readTrials('r-1', { limit: 10 });
    expect(firstPage.map((record) => record.ordinal)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const next = await store().readTrials('r-1', { limit: 100, after: 19 });
    expect(next.map((record) => record.ordinal)).toEqual([20, 21, 22, 23, 24]);
    const failed = await store().readTrials('r-1', { limit: 100, outcomes: ['fail'] });
    expect(failed.map((record) => record.ordinal)).toEqual([0, 5, 10, 15, 20]);
  });

  it('groups what did not pass by scenario, outcome and reason', async () => {
    const fail = { outcome: 'fail' } as const;
    await store().saveTrials([
      finishedTrial('r-1', 0),
      finishedTrial('r-1', 1, fail),
      finishedTrial('r-1', 2, { outcome: 'error', withFault: true }),
      finishedTrial('r-1', 3, fail),
      finishedTrial('r-1', 4, { ...fail, scenario: 'other' }),
      finishedTrial('r-2', 5, fail),
    ]);
    const groups = await store().readProblems('r-1', 10);
    expect(groups.map(({ first, count }) => [first.ordinal, first.outcome, count])).toEqual([
      [1, 'fail', 2],
      [2, 'error', 1],
      [4, 'fail', 1],
    ]);
    expect(await store().readProblems('r-1', 1)).toHaveLength(1);
    expect(await store().readProblems('r-none', 10)).toEqual([]);
  });

  it('reads every trial of a run that is larger than a page', async () => {
    const count = 1_203;
    await store().saveTrials(Array.from({ length: count }, (_, index) => finishedTrial('r-1', index)));
    let next = 0;
    for await (const record of eachTrial(store(), 'r-1')) expect(record.ordinal).toBe(next++);
    expect(next).toBe(count);
  });

  it('finds the newest trials of a scenario, and a trial by the beginning of its id', async () => {
    await store().saveTrials([
      finishedTrial('r-1', 0, { scenario: 'alpha', startedAt: 1 }),
      finishedTrial('r-2', 0, { scenario: 'alpha', startedAt: 2 }),
      finishedTrial('r-2', 1, { scenario: 'beta', startedAt: 3 }),
    ]);
    expect((await store().findTrialsOfScenario('alpha', 10)).map((record) => record.runId)).toEqual(['r-2', 'r-1']);
    const wanted = finishedTrial('r-2', 1).record.trialId;
    expect((await store().findTrial(wanted.slice(0, -1)))?.trialId).toBe(wanted);
    expect(await store().findTrial('t-')).toBeUndefined();
  });
}

/** Trials of chosen cases are found without reading the others. */
export function describeReadCases(store: () => Store): void {
  it('reads the trials of named cases only, in pages, whatever their names hold', async () => {
    const named = (ordinal: number, scenario: string, caseId: string) => {
      const { record, trace } = finishedTrial('r-1', ordinal, { scenario });
      return { record: { ...record, caseId }, trace };
    };
    const strange = `it's "x"), ('\0y'`;
    await store().saveTrials([
      named(0, 'one', 'first'),
      named(1, 'one', 'second'),
      named(2, 'one', 'first'),
      named(3, 'two', 'first'),
      named(4, 'two', strange),
      finishedTrial('r-2', 0, { scenario: 'one' }),
    ]);
    const cases = [
      { scenario: 'one', caseId: 'first' },
      { scenario: 'two', caseId: strange },
      { scenario: 'two', caseId: 'second' },
    ];
    const ordinals = async (page: { limit: number; after?: number; cases: typeof cases }) =>
      (await store().readTrials('r-1', page)).map(({ ordinal }) => ordinal);
    expect(await ordinals({ limit: 10, cases })).toEqual([0, 2, 4]);
    expect(await ordinals({ limit: 2, cases })).toEqual([0, 2]);
    expect(await ordinals({ limit: 2, after: 2, cases })).toEqual([4]);
    expect(await ordinals({ limit: 10, cases: [{ scenario: 'none', caseId: 'first' }] })).toEqual([]);
  });
}
