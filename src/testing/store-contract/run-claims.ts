import { describe, expect, it } from 'vitest';
import type { RunClaim, Store } from '../../keep/store/store.ts';
import { ownProcess } from '../../shared/processes/own-process.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** A run belongs to one process at a time. */
export function describeRunClaims(store: () => Store): void {
  describe('claims of runs', () => {
    it('give a run to one process until it is released', async () => {
      await store().createRun(runHeader('r-1', { status: 'interrupted', finishedAt: 5 }));
      expect(await store().findHolder('r-1')).toBeUndefined();
      expect(await store().claimRun('r-1', claimOf('a'))).toBeUndefined();
      expect(await store().findRun('r-1')).toMatchObject({ status: 'running', finishedAt: null });
      expect(await store().claimRun('r-1', claimOf('b'))).toMatchObject({
        kind: 'process',
        claimId: 'a',
        pid: process.pid,
      });
      expect(await store().releaseRun('r-1', 'b', { status: 'interrupted', finishedAt: 7 })).toBe(false);
      expect(await store().releaseRun('r-1', 'a', { status: 'finished', finishedAt: 9 })).toBe(true);
      expect(await store().findRun('r-1')).toMatchObject({ status: 'finished', finishedAt: 9 });
      expect(await store().claimRun('r-1', claimOf('b'))).toBeUndefined();
    });

    it('show a run as interrupted when its process is gone', async () => {
      await store().createRun(runHeader('r-1'));
      await store().claimRun('r-1', claimOf('a', gone));
      expect(await store().findRun('r-1')).toMatchObject({ status: 'interrupted' });
      expect(await store().listRuns(1)).toMatchObject([{ status: 'interrupted' }]);
      const listed = async (status: 'running' | 'interrupted') =>
        (await store().readRunRows({ limit: 10, status })).items.map(({ run }) => run.runId);
      expect(await listed('interrupted')).toEqual(['r-1']);
      expect(await listed('running')).toEqual([]);
    });

    it('of another machine hold as long as their lease', async () => {
      await store().createRun(runHeader('r-1'));
      await store().createRun(runHeader('r-2'));
      await store().claimRun('r-1', claimOf('a', elsewhere));
      await store().claimRun('r-2', claimOf('b', { ...elsewhere, leaseMs: -1 }));
      expect(await store().claimRun('r-1', claimOf('c'))).toMatchObject({ claimId: 'a', host: 'elsewhere' });
      expect(await store().claimRun('r-2', claimOf('d'))).toBeUndefined();
      expect(await store().renewClaim('r-2', { claimId: 'b', leaseMs: 60_000 })).toBe(false);
      expect(await store().renewClaim('r-1', { claimId: 'a', leaseMs: -1 })).toBe(true);
      expect(await store().claimRun('r-1', claimOf('c'))).toBeUndefined();
    });

    it('let exactly one of many take over what a dead process left', async () => {
      await store().createRun(runHeader('r-1'));
      await store().claimRun('r-1', claimOf('dead', gone));
      const rivals = Array.from({ length: 8 }, (_, index) => store().claimRun('r-1', claimOf(`rival ${index}`)));
      const refused = (await Promise.all(rivals)).filter((holder) => holder !== undefined);
      expect(refused).toHaveLength(7);
      expect(new Set(refused.map((holder) => 'claimId' in holder && holder.claimId)).size).toBe(1);
    });

    it('keep a run from being removed', async () => {
      await store().createRun(runHeader('r-live', { startedAt: 1 }));
      await store().createRun(runHeader('r-dead', { startedAt: 1 }));
      await store().claimRun('r-live', claimOf('a'));
      await store().claimRun('r-dead', claimOf('b', gone));
      expect(await store().deleteRuns(['r-live', 'r-dead'])).toEqual(['r-dead']);
      await store().releaseRun('r-live', 'a');
      expect(await store().deleteRuns(['r-live', 'r-dead'])).toEqual(['r-live']);
    });
  });
}

/** A record that takes the place of one that waited for its judge. */
export function describeWaitingTrials(store: () => Store): void {
  it('keep why no further one began, each reason once', async () => {
    await store().createRun(runHeader('r-1', { startedAt: 1 }));
    for (const reason of ['2 failed', 'out of time', '2 failed']) await store().addStop('r-1', reason);
    expect((await store().findRun('r-1'))?.stops).toEqual(['2 failed', 'out of time']);
  });

  describe('trials that wait for their judge', () => {
    it('have one record when it has answered, and count once', async () => {
      const late = finishedTrial('r-1', 0, { outcome: 'error', withFault: true });
      const fault = { ...late.record.fault, code: 'JUDGE_WAITING' } as NonNullable<typeof late.record.fault>;
      const waiting = { ...late, record: { ...late.record, fault } };
      const other = finishedTrial('r-1', 1, { outcome: 'error', withFault: true });
      await store().saveTrials([waiting, other]);
      expect(await store().countTrials('r-1')).toMatchObject({ error: 2, waiting: 1 });
      const judged = [finishedTrial('r-1', 0), finishedTrial('r-1', 1)];
      await store().replaceWaiting(judged);
      await store().replaceWaiting(judged);
      const counts = await store().countTrials('r-1');
      expect(counts).toMatchObject({ pass: 1, error: 1 });
      expect(counts.waiting).toBeUndefined();
      expect(counts.cost.knownUsd).toBeCloseTo((judged[0]?.record.costUsd ?? 0) + (other.record.costUsd ?? 0), 9);
      expect(await store().readAttempts(late.record.trialId)).toEqual([]);
      expect(await store().findTrial(late.record.trialId)).toMatchObject({ outcome: 'pass' });
    });
  });
}

/** Settings of live runs that are changed from outside. */
export function describeRunControls(store: () => Store): void {
  describe('a run that is changed from outside', () => {
    it('is paused once, continued once, and keeps the time of its pauses', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      expect(await store().readControls('r-1')).toBeUndefined();
      expect(await store().continueRun('r-1')).toBe(false);
      await store().claimRun('r-1', claimOf('a'));
      expect([await store().pauseRun('r-1'), await store().pauseRun('r-1')]).toEqual([true, false]);
      expect(await store().findRun('r-1')).toMatchObject({ status: 'paused' });
      expect((await store().readRunRows({ limit: 5, status: 'paused' })).items).toHaveLength(1);
      await store().changeControls('r-1', { concurrency: 3 });
      await store().changeControls('r-1', { maxUsd: 2 });
      expect(await store().readControls('r-1')).toMatchObject({ isPaused: true, concurrency: 3, maxUsd: 2 });
      expect([await store().continueRun('r-1'), await store().continueRun('r-1')]).toEqual([true, false]);
      expect(await store().findRun('r-1')).toMatchObject({ status: 'running' });
      await store().pauseRun('r-1');
      expect(await store().beginControls('r-1', 5)).toMatchObject({ isPaused: true, concurrency: 3 });
      expect(await store().readControls('r-1')).toMatchObject({ isPaused: false, concurrency: null, maxUsd: 5 });
      await store().releaseRun('r-1', 'a');
      await store().deleteRuns(['r-1']);
      expect(await store().readControls('r-1')).toBeUndefined();
    });

    it('adds up its waits for rate limits', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      const wait = { origin: 'http://a', refusals: 1, waits: 2, waitedMs: 3, lowest: 4 };
      await Promise.all([store().addWaits('r-1', [wait]), store().addWaits('r-1', [{ ...wait, lowest: null }])]);
      await store().addWaits('r-1', [{ ...wait, origin: 'http://b', lowest: null }]);
      expect((await store().findRun('r-1'))?.waits).toEqual([
        { origin: 'http://a', refusals: 2, waits: 4, waitedMs: 6, lowest: 4 },
        { ...wait, origin: 'http://b', lowest: null },
      ]);
    });

    it('keeps the rounds of an experiment, and early looks at other runs', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      const experiment = { reference: 'a', looks: [], ending: 'budget-used-up', reason: 'too dear' } as const;
      await store().setExperiment('r-1', 7, { ...experiment, looks: [] });
      expect(await store().findRun('r-1')).toMatchObject({ planned: 7, experiment });
      await store().addEarlyLook('r-1', 3);
      await store().addEarlyLook('r-1', 5);
      await store().addEarlyLook('r-1', 3);
      expect((await store().findRun('r-1'))?.earlyLooks).toEqual([3, 5]);
    });

    it('merges failures of one hook command, of several machines at once', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      const problem = {
        hook: 'afterTrial',
        command: 'rm x',
        count: 2,
        message: 'm',
        scenario: 's',
        trialId: 't',
      } as const;
      await Promise.all([store().addHookProblems('r-1', [problem]), store().addHookProblems('r-1', [problem])]);
      const other = { ...problem, hook: 'afterRun', scenario: null, trialId: null } as const;
      await store().addHookProblems('r-1', [other]);
      expect((await store().findRun('r-1'))?.hookProblems).toEqual([{ ...problem, count: 4 }, other]);
    });
  });
}

/** A trial that is tried again replaces its error, and keeps its earlier attempts. */
export function describeRetriedTrials(store: () => Store): void {
  describe('trials that are retried', () => {
    it('count as not run, and keep what they cost and their earlier attempts', async () => {
      const broken = finishedTrial('r-1', 1, { outcome: 'error', withFault: true });
      await store().saveTrials([finishedTrial('r-1', 0), broken, finishedTrial('r-2', 0, { outcome: 'error' })]);
      const { trialId } = broken.record;
      expect(await store().setAsideErrors('r-1')).toBe(1);
      expect(await store().countTrials('r-1')).toMatchObject({
        pass: 1,
        error: 0,
        fileFaults: 0,
        cost: { knownUsd: 0.5 },
      });
      expect(await store().countTrials('r-2')).toMatchObject({ error: 1 });
      expect(await store().storedTrialIds([trialId])).toEqual(new Set());
      expect(await store().readAttempts(trialId)).toEqual([broken.record]);
      await store().saveTrials([finishedTrial('r-1', 1, { outcome: 'error' })]);
      expect(await store().setAsideErrors('r-1')).toBe(1);
      await store().saveTrials([finishedTrial('r-1', 1)]);
      expect(await store().countTrials('r-1')).toMatchObject({
        pass: 2,
        fail: 0,
        error: 0,
        cost: { knownUsd: 1 },
        tokens: { knownInput: 40 },
      });
      expect(await store().readAttempts(trialId)).toHaveLength(2);
      expect(await store().findTrial(trialId)).toMatchObject({ outcome: 'pass' });
      expect(await store().setAsideErrors('r-1')).toBe(0);
    });

    it('may be chosen: others stay, and every count is right', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      const trials = [0, 1, 2].map((ordinal) => finishedTrial('r-1', ordinal, { outcome: 'error', withFault: true }));
      const passed = finishedTrial('r-1', 3);
      await store().saveTrials([...trials, passed]);
      const before = await store().countTrials('r-1');
      const [chosen] = trials;
      const ids = [chosen?.record.trialId ?? '', passed.record.trialId];
      expect(await store().setAsideErrors('r-1', ids)).toBe(1);
      const after = await store().countTrials('r-1');
      expect(after).toMatchObject({ pass: 1, error: 2, cost: before.cost, tokens: before.tokens });
      expect(after.fileFaults).toBe(before.fileFaults === 0 ? 0 : before.fileFaults - 1);
      expect(await store().countByScenario('r-1')).toMatchObject([{ pass: 1, error: 2 }]);
      expect(await store().readControls('r-1')).toMatchObject({ requeues: 1 });
      expect(await store().setAsideErrors('r-1', ['t-none'])).toBe(0);
    });

    it('are removed with their run', async () => {
      await store().createRun(runHeader('r-1', { startedAt: 1 }));
      const { record, trace } = finishedTrial('r-1', 0, { outcome: 'error' });
      await store().saveTrials([{ record, trace }]);
      await store().setAsideErrors('r-1');
      await store().deleteRuns(['r-1']);
      expect(await store().readAttempts(record.trialId)).toEqual([]);
    });
  });
}

/** A claim of this process, or of another one. */
function claimOf(claimId: string, other: Partial<RunClaim> = {}): RunClaim {
  return { ...ownProcess(), claimId, leaseMs: 60_000, isShared: false, ...other };
}

/** The pid of this process, started at another time: what is left of a process whose pid was given away again. */
const gone = { processStart: 'earlier' };
const elsewhere = { host: 'elsewhere', machine: 'another machine', pid: 1 };
