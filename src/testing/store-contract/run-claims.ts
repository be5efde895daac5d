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
        usage: { inputTokens: 40 },
      });
      expect(await store().readAttempts(trialId)).toHaveLength(2);
      expect(await store().findTrial(trialId)).toMatchObject({ outcome: 'pass' });
      expect(await store().setAsideErrors('r-1')).toBe(0);
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
