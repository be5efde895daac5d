import { expect, it } from 'vitest';
import type { Store } from '../../keep/store/store.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** Runs are kept as they were created, found by their ids, and removed whole. */
export function describeRuns(store: () => Store): void {
  it('gives back a run as it was created', async () => {
    const run = runHeader('r-1', { status: 'finished', finishedAt: 5 });
    await store().createRun(run);
    expect(await store().findRun('r-1')).toEqual(run);
  });

  it('shows a run that nothing runs as interrupted, whatever was written last', async () => {
    await store().createRun(runHeader('r-1'));
    expect(await store().findRun('r-1')).toEqual(runHeader('r-1', { status: 'interrupted' }));
  });

  it('finds a run by an unambiguous beginning of its id, and the newest as latest', async () => {
    await store().createRun(runHeader('r-20260101-a', { startedAt: 1 }));
    await store().createRun(runHeader('r-20260102-b', { startedAt: 2 }));
    expect((await store().findRun('r-20260101'))?.runId).toBe('r-20260101-a');
    expect((await store().findRun('latest'))?.runId).toBe('r-20260102-b');
    expect(await store().findRun('r-')).toBeUndefined();
    expect(await store().findRun('R-20260101')).toBeUndefined();
    expect(await store().findRun('r-2026010%')).toBeUndefined();
  });

  it('lets a run grow', async () => {
    const run = runHeader('r-1', { status: 'interrupted' });
    const [scenario] = run.scenarios;
    await store().createRun(run);
    const scenarios = scenario ? [scenario, { ...scenario, name: 'another' }] : [];
    await store().growRun('r-1', 7, scenarios);
    expect(await store().findRun('r-1')).toEqual({ ...run, planned: 7, scenarios });
  });

  it('lists the newest runs first', async () => {
    for (const [runId, startedAt] of [
      ['r-a', 3],
      ['r-b', 1],
      ['r-c', 2],
    ] as const) {
      await store().createRun(runHeader(runId, { startedAt }));
    }
    expect((await store().listRuns(2)).map((run) => run.runId)).toEqual(['r-a', 'r-c']);
  });

  it('keeps the status of a run', async () => {
    await store().createRun(runHeader('r-1'));
    await store().setRunStatus('r-1', 'interrupted', 99);
    expect(await store().findRun('r-1')).toMatchObject({ status: 'interrupted', finishedAt: 99 });
  });

  it('removes runs with all that belongs to them', async () => {
    await store().createRun(runHeader('r-old', { startedAt: 10 }));
    await store().createRun(runHeader('r-new', { startedAt: 20 }));
    await store().saveTrials([finishedTrial('r-old', 0), finishedTrial('r-new', 0)]);
    const sizes = await store().readRunSizes();
    expect([...sizes.keys()].sort()).toEqual(['r-new', 'r-old']);
    for (const bytes of sizes.values()) expect(bytes).toBeGreaterThan(0);
    expect(await store().deleteRuns(['r-old', 'r-unknown'])).toEqual(['r-old']);
    expect([...(await store().readRunSizes()).keys()]).toEqual(['r-new']);
    expect((await store().listRuns(10)).map((run) => run.runId)).toEqual(['r-new']);
    expect(await store().findTrial(finishedTrial('r-old', 0).record.trialId)).toBeUndefined();
    expect(await store().countTrials('r-old')).toMatchObject({ pass: 0 });
    expect(await store().findTrial(finishedTrial('r-new', 0).record.trialId)).toBeDefined();
  });
}

/** Every process of a run compares tools with the same ones. */
export function describeRunPins(store: () => Store): void {
  it('keeps the tools that a run met first, of all that tried, and those that were announced', async () => {
    await store().createRun(runHeader('r-1'));
    const met = (version: string, isAnnounced = false) => ({ server: 's', pins: { add: version }, isAnnounced });
    const both = await Promise.all([store().pinTools('r-1', met('a')), store().pinTools('r-1', met('b'))]);
    expect(both[0]).toHaveLength(1);
    expect(both[1]).toEqual(both[0]);
    const announced = await store().pinTools('r-1', met('c', true));
    expect(announced).toHaveLength(2);
    expect(announced).toEqual(expect.arrayContaining([...(both[0] ?? []), { add: 'c' }]));
    expect(await store().pinTools('r-1', { ...met('d'), server: 'other' })).toEqual([{ add: 'd' }]);
    await store().deleteRuns(['r-1']);
    expect(await store().pinTools('r-1', met('e'))).toEqual([{ add: 'e' }]);
  });
}
