import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eachTrial, type Store } from '../keep/store/store.ts';
import { finishedTrial, runHeader } from './samples.ts';
import { describeStoreClaims } from './store-claims-contract.ts';
import { describeStoreLists } from './store-lists-contract.ts';

/** Behaviour of every store. `open` gives a new and empty one. */
export function describeStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });
    describeStoreLists(() => store);
    describeStoreClaims(() => store);

    it('gives back a run as it was created', async () => {
      await store.createRun(runHeader('r-1'));
      expect(await store.findRun('r-1')).toEqual(runHeader('r-1'));
    });

    it('finds a run by an unambiguous beginning of its id, and the newest as latest', async () => {
      await store.createRun(runHeader('r-20260101-a', { startedAt: 1 }));
      await store.createRun(runHeader('r-20260102-b', { startedAt: 2 }));
      expect((await store.findRun('r-20260101'))?.runId).toBe('r-20260101-a');
      expect((await store.findRun('latest'))?.runId).toBe('r-20260102-b');
      expect(await store.findRun('r-')).toBeUndefined();
      expect(await store.findRun('R-20260101')).toBeUndefined();
      expect(await store.findRun('r-2026010%')).toBeUndefined();
    });

    it('lists the newest runs first', async () => {
      for (const [runId, startedAt] of [
        ['r-a', 3],
        ['r-b', 1],
        ['r-c', 2],
      ] as const) {
        await store.createRun(runHeader(runId, { startedAt }));
      }
      expect((await store.listRuns(2)).map((run) => run.runId)).toEqual(['r-a', 'r-c']);
    });

    it('keeps the status of a run', async () => {
      await store.createRun(runHeader('r-1'));
      await store.setRunStatus('r-1', 'interrupted', 99);
      expect(await store.findRun('r-1')).toMatchObject({ status: 'interrupted', finishedAt: 99 });
    });

    it('gives back records and traces as they were saved', async () => {
      const first = finishedTrial('r-1', 0);
      const second = finishedTrial('r-1', 1, { outcome: 'error', withFault: true });
      await store.saveTrials([first, second]);
      expect(await store.findTrial(first.record.trialId)).toEqual(first.record);
      expect(await store.findTrial(second.record.trialId)).toEqual(second.record);
      expect(await store.readTrace(second.record.trialId)).toEqual(second.trace);
      expect(await store.readTrace('t-none')).toBeUndefined();
    });

    it('gives back trials whose texts are no proper text', async () => {
      const odd = 'half a pair \ud83d, a NUL \u0000, an end';
      const { record, trace } = finishedTrial('r-1', 0);
      const message = { type: 'message', role: 'assistant', text: odd, at: 1, seenBy: 'agent' } as const;
      await store.saveTrials([{ record: { ...record, reason: odd, caseId: odd }, trace: [...trace, message] }]);
      const kept = 'half a pair \ufffd, a NUL \u2400, an end';
      expect(await store.findTrial(record.trialId)).toEqual({ ...record, reason: kept, caseId: kept });
      expect((await store.readTrace(record.trialId))?.at(-1)).toEqual(message);
      expect(await store.readTrials('r-1', { limit: 10 })).toHaveLength(1);
    });

    it('stores a trial once, and keeps what was stored first', async () => {
      await store.saveTrials([finishedTrial('r-1', 0)]);
      await store.saveTrials([finishedTrial('r-1', 0, { outcome: 'fail' }), finishedTrial('r-1', 1)]);
      expect(await store.countTrials('r-1')).toMatchObject({ pass: 2, fail: 0 });
    });

    it('lists which trials are stored', async () => {
      await store.saveTrials([finishedTrial('r-1', 0)]);
      const stored = finishedTrial('r-1', 0).record.trialId;
      expect(await store.storedTrialIds([stored, 't-other'])).toEqual(new Set([stored]));
      expect(await store.storedTrialIds([])).toEqual(new Set());
    });

    it('counts outcomes, faults of the user, cost and tokens', async () => {
      await store.saveTrials([
        finishedTrial('r-1', 0),
        finishedTrial('r-1', 1, { outcome: 'fail' }),
        finishedTrial('r-1', 2, { outcome: 'error', withFault: true }),
        finishedTrial('r-2', 0),
      ]);
      expect(await store.countTrials('r-1')).toEqual({
        pass: 1,
        fail: 1,
        error: 1,
        fileFaults: 1,
        notJudged: 0,
        cost: { knownUsd: 0.75, unknownTrials: 0 },
        usage: { inputTokens: 30, outputTokens: 15 },
        reused: 0,
      });
      expect(await store.countTrials('r-none')).toMatchObject({
        pass: 0,
        fail: 0,
        error: 0,
        cost: { knownUsd: 0, unknownTrials: 0 },
        usage: null,
      });
    });

    it('counts a trial once, however often and by however many it is saved', async () => {
      const trials = Array.from({ length: 50 }, (_, index) => finishedTrial('r-1', index));
      await Promise.all([trials, trials.slice(20), [...trials].reverse()].map((some) => store.saveTrials(some)));
      await store.saveTrials([finishedTrial('r-1', 50), finishedTrial('r-1', 50)]);
      expect(await store.countTrials('r-1')).toMatchObject({
        pass: 51,
        cost: { knownUsd: 12.75, unknownTrials: 0 },
        usage: { inputTokens: 510 },
      });
      expect(await store.countByScenario('r-1')).toMatchObject([{ firstOrdinal: 0, lastOrdinal: 50, pass: 51 }]);
    });

    it('sums up the same whatever order trials are stored in', async () => {
      const costs = [0.1, 0.2, 0.3, 1e-7, 123.456, 0.7];
      const priced = (runId: string) =>
        costs.map((costUsd, index) => {
          const { record, trace } = finishedTrial(runId, index);
          return { trace, record: { ...record, costUsd, durationMs: costUsd } };
        });
      for (const trial of priced('r-1')) await store.saveTrials([trial]);
      await store.saveTrials(priced('r-2').reverse());
      expect((await store.countTrials('r-1')).cost).toEqual({ knownUsd: 124.7560001, unknownTrials: 0 });
      expect(await store.countTrials('r-2')).toEqual(await store.countTrials('r-1'));
      expect(await store.countByCell('r-2')).toEqual(await store.countByCell('r-1'));
    });

    it('distinguishes an unreported value from zero', async () => {
      const reported = finishedTrial('r-1', 0);
      const { record, trace } = finishedTrial('r-1', 1);
      const metrics = { 'token-usage': null, answered: 0 };
      const silent = { ...record, costUsd: null, durationMs: null, usage: null, metrics };
      await store.saveTrials([{ record: silent, trace }]);
      expect(await store.findTrial(silent.trialId)).toEqual(silent);
      expect(await store.countTrials('r-1')).toMatchObject({ cost: { knownUsd: 0, unknownTrials: 1 }, usage: null });
      await store.saveTrials([reported]);
      const cost = { knownUsd: 0.25, unknownTrials: 1 };
      const usage = { inputTokens: 10, outputTokens: 5 };
      expect(await store.countTrials('r-1')).toMatchObject({ cost, usage });
      expect(await store.countByScenario('r-1')).toMatchObject([{ pass: 2, durationMs: null }]);
      expect(await store.countByCell('r-1')).toMatchObject([{ pass: 2, durationMs: null, costUsd: null }]);
      const free = finishedTrial('r-2', 0);
      await store.saveTrials([{ ...free, record: { ...free.record, costUsd: 0 } }]);
      expect(await store.countTrials('r-2')).toMatchObject({ cost: { knownUsd: 0, unknownTrials: 0 } });
      expect(await store.countByCell('r-2')).toMatchObject([{ costUsd: 0 }]);
    });

    it('takes whatever figures a model claims', async () => {
      const { record, trace } = finishedTrial('r-1', 0);
      const odd = { ...record, usage: { inputTokens: 3e15, outputTokens: 1.5 }, costUsd: 1e9, durationMs: 1e12 };
      await store.saveTrials([{ record: odd, trace }]);
      expect(await store.findTrial(record.trialId)).toEqual(odd);
      const { usage } = odd;
      expect(await store.countTrials('r-1')).toMatchObject({ usage, cost: { knownUsd: 1e9, unknownTrials: 0 } });
    });

    it('counts by scenario in plan order', async () => {
      await store.saveTrials([
        finishedTrial('r-1', 2, { scenario: 'alpha' }),
        finishedTrial('r-1', 1, { scenario: 'zeta', outcome: 'fail' }),
        finishedTrial('r-1', 0, { scenario: 'zeta' }),
      ]);
      expect(await store.countByScenario('r-1')).toMatchObject([
        { scenario: 'zeta', firstOrdinal: 0, lastOrdinal: 1, pass: 1, fail: 1, error: 0 },
        { scenario: 'alpha', firstOrdinal: 2, lastOrdinal: 2, pass: 1, fail: 0, error: 0 },
      ]);
    });

    it('reads trials in plan order, in pages, by outcome', async () => {
      const trials = Array.from({ length: 25 }, (_, index) =>
        finishedTrial('r-1', index, { outcome: index % 5 === 0 ? 'fail' : 'pass' }),
      );
      await store.saveTrials([...trials].reverse());
      const firstPage = await store.readTrials('r-1', { limit: 10 });
      expect(firstPage.map((record) => record.ordinal)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const next = await store.readTrials('r-1', { limit: 100, after: 19 });
      expect(next.map((record) => record.ordinal)).toEqual([20, 21, 22, 23, 24]);
      const failed = await store.readTrials('r-1', { limit: 100, outcomes: ['fail'] });
      expect(failed.map((record) => record.ordinal)).toEqual([0, 5, 10, 15, 20]);
    });

    it('groups what did not pass by scenario, outcome and reason', async () => {
      const fail = { outcome: 'fail' } as const;
      await store.saveTrials([
        finishedTrial('r-1', 0),
        finishedTrial('r-1', 1, fail),
        finishedTrial('r-1', 2, { outcome: 'error', withFault: true }),
        finishedTrial('r-1', 3, fail),
        finishedTrial('r-1', 4, { ...fail, scenario: 'other' }),
        finishedTrial('r-2', 5, fail),
      ]);
      const groups = await store.readProblems('r-1', 10);
      expect(groups.map(({ first, count }) => [first.ordinal, first.outcome, count])).toEqual([
        [1, 'fail', 2],
        [2, 'error', 1],
        [4, 'fail', 1],
      ]);
      expect(await store.readProblems('r-1', 1)).toHaveLength(1);
      expect(await store.readProblems('r-none', 10)).toEqual([]);
    });

    it('reads every trial of a run that is larger than a page', async () => {
      const count = 1_203;
      await store.saveTrials(Array.from({ length: count }, (_, index) => finishedTrial('r-1', index)));
      let next = 0;
      for await (const record of eachTrial(store, 'r-1')) expect(record.ordinal).toBe(next++);
      expect(next).toBe(count);
    });

    it('finds the newest trials of a scenario, and a trial by the beginning of its id', async () => {
      await store.saveTrials([
        finishedTrial('r-1', 0, { scenario: 'alpha', startedAt: 1 }),
        finishedTrial('r-2', 0, { scenario: 'alpha', startedAt: 2 }),
        finishedTrial('r-2', 1, { scenario: 'beta', startedAt: 3 }),
      ]);
      expect((await store.findTrialsOfScenario('alpha', 10)).map((record) => record.runId)).toEqual(['r-2', 'r-1']);
      const wanted = finishedTrial('r-2', 1).record.trialId;
      expect((await store.findTrial(wanted.slice(0, -1)))?.trialId).toBe(wanted);
      expect(await store.findTrial('t-')).toBeUndefined();
    });

    it('keeps documents of a megabyte apart from small neighbours', async () => {
      const large = finishedTrial('r-1', 1, { output: 'x'.repeat(3_000_000) });
      await store.saveTrials([finishedTrial('r-1', 0), large, finishedTrial('r-1', 2)]);
      expect(await store.readTrace(large.record.trialId)).toEqual(large.trace);
      expect((await store.readTrials('r-1', { limit: 10 })).length).toBe(3);
    });

    it('removes old runs with all that belongs to them', async () => {
      await store.createRun(runHeader('r-old', { startedAt: 10 }));
      await store.createRun(runHeader('r-new', { startedAt: 20 }));
      await store.saveTrials([finishedTrial('r-old', 0), finishedTrial('r-new', 0)]);
      expect(await store.deleteRunsBefore(20)).toEqual(['r-old']);
      expect((await store.listRuns(10)).map((run) => run.runId)).toEqual(['r-new']);
      expect(await store.findTrial(finishedTrial('r-old', 0).record.trialId)).toBeUndefined();
      expect(await store.countTrials('r-old')).toMatchObject({ pass: 0 });
      expect(await store.findTrial(finishedTrial('r-new', 0).record.trialId)).toBeDefined();
    });
  });
}
