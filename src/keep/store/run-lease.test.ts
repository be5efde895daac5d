import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { heldBy, RunLease } from './run-lease.ts';
import type { RunClaim, RunEnding, RunHolder } from './store.ts';

/** A store that remembers what is done to the claim of one run. */
class Claims {
  readonly renewed: string[] = [];
  readonly endings: (RunEnding | undefined)[] = [];
  holder: RunHolder | undefined;
  isOurs = true;
  isDown = false;
  claim: RunClaim | undefined;

  async claimRun(_runId: string, claim: RunClaim): Promise<RunHolder | undefined> {
    this.claim = claim;
    return this.holder;
  }

  async renewClaim(_runId: string, { claimId }: Pick<RunClaim, 'claimId'>): Promise<boolean> {
    if (this.isDown) throw new Error('the database is down');
    this.renewed.push(claimId);
    return this.isOurs;
  }

  async releaseRun(_runId: string, _claimId: string, ending?: RunEnding): Promise<boolean> {
    this.endings.push(ending);
    if (this.isDown) throw new Error('the database is down');
    return this.isOurs;
  }
}

const running = new AbortController().signal;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('the lease of a run', () => {
  it('is extended four times in its duration, by this claim, until the run ends', async () => {
    const store = new Claims();
    const lease = await RunLease.take('r', store, { signal: running });
    const { leaseMs = 0, claimId, isShared } = store.claim ?? {};
    expect({ leaseMs, isShared }).toEqual({ leaseMs: 60_000, isShared: false });
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect(store.renewed).toEqual([claimId, claimId, claimId, claimId]);
    await lease.end('finished', 5);
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect(store.renewed).toHaveLength(4);
    expect(store.endings).toEqual([{ status: 'finished', finishedAt: 5 }]);
    await lease[Symbol.asyncDispose]();
    expect(store.endings).toHaveLength(1);
    expect(lease.signal.aborted).toBe(false);
  });

  it('is refused where another process has it, which is named', async () => {
    const store = new Claims();
    store.holder = { kind: 'process', pid: 7, host: 'h', since: Date.parse('2027-01-02T03:04:05Z') } as RunHolder;
    await expect(RunLease.take('r', store, { signal: running })).rejects.toMatchObject({
      ...{ code: 'RUN_LIVE', message: 'Run r is being run by pid 7 on host h since 2027-01-02 03:04:05 UTC.' },
    });
    expect(heldBy('r', { kind: 'workers' } as RunHolder)).toMatchObject({
      ...{ message: 'Run r is being run by workers.', hint: expect.stringContaining('assay queue cancel r') },
    });
  });

  it('that another process took over stops the run, and cannot end it', async () => {
    const store = new Claims();
    const lease = await RunLease.take('r', store, { signal: running });
    store.isOurs = false;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(lease.signal.aborted).toBe(true);
    await expect(lease.end('finished', 5)).rejects.toMatchObject({ code: 'RUN_TAKEN_OVER' });
  });

  it('is kept while the store cannot be reached', async () => {
    const store = new Claims();
    const lease = await RunLease.take('r', store, { signal: running });
    store.isDown = true;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(lease.signal.aborted).toBe(false);
    await expect(lease[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it('that is given back without an ending leaves the run interrupted, and one of workers as it was', async () => {
    const store = new Claims();
    await (await RunLease.take('r', store, { signal: running }))[Symbol.asyncDispose]();
    expect(store.endings).toEqual([{ status: 'interrupted', finishedAt: Date.now() }]);
    const shared = await RunLease.take('r', store, { signal: running, isShared: true });
    expect(store.claim?.isShared).toBe(true);
    await shared[Symbol.asyncDispose]();
    expect(store.endings[1]).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.renewed).toEqual([]);
  });

  it('is aborted when the run is interrupted', async () => {
    const controller = new AbortController();
    const lease = await RunLease.take('r', new Claims(), { signal: controller.signal });
    controller.abort();
    expect(lease.signal.aborted).toBe(true);
    await lease[Symbol.asyncDispose]();
  });
});
