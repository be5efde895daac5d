import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SpanSpool } from '../../keep/spool/span-spool.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { Store } from '../../keep/store/store.ts';
import { sampleRecord } from '../../testing/fakes/keep/sample-trial.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { removeOldCollectedRuns } from './collected-retention.ts';
import { CollectedRuns } from './collected-runs.ts';

const day = 86_400_000;
const noon = Date.UTC(2026, 10, 16, 12);

async function opened() {
  const folder = await temporaryFolder();
  const store = await openStore('sqlite:store.db', folder);
  const spool = SpanSpool.open(join(folder, 'spool.db'));
  onTestFinished(async () => {
    spool[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  });
  return { store, spool };
}

/** A collected run of one trial that is over. */
async function collectedRun(store: Store, spool: SpanSpool, at: number, outcome: 'pass' | 'fail' | 'error') {
  const runs = new CollectedRuns(store, spool, 'hour');
  await runs.open(at);
  const runId = runs.runId ?? '';
  await store.saveTrials([{ record: sampleRecord({ runId, trialId: `t-${runId}`, outcome }), trace: [] }]);
  await runs[Symbol.asyncDispose]();
  return runId;
}

describe('collected runs', () => {
  it('begin with each period, and go on after a restart', async () => {
    const { store, spool } = await opened();
    const idAt = async (at: number, every: 'hour' | 'day') => {
      await using runs = new CollectedRuns(store, spool, every);
      await runs.open(at);
      return runs.runId;
    };
    const first = await idAt(noon, 'hour');
    expect(await idAt(noon + 59 * 60_000, 'hour')).toBe(first);
    const second = await idAt(noon + 60 * 60_000, 'hour');
    expect(second).not.toBe(first);
    const daily = await idAt(noon + 60 * 60_000, 'day');
    expect(await idAt(noon + 11 * 3_600_000, 'day')).toBe(daily);
    expect(await idAt(noon + 12 * 3_600_000, 'day')).not.toBe(daily);
    const statuses = (await store.listRuns(10)).map(({ status }) => status);
    expect(statuses).toEqual(['finished', 'finished', 'finished', 'finished']);
  });

  it('are removed by age, those with failures and errors later, and never those of baselines', async () => {
    const { store, spool } = await opened();
    const [old, failed, broken, kept, fresh] = [
      await collectedRun(store, spool, noon, 'pass'),
      await collectedRun(store, spool, noon + day / 24, 'fail'),
      await collectedRun(store, spool, noon + day / 12, 'error'),
      await collectedRun(store, spool, noon + day / 8, 'pass'),
      await collectedRun(store, spool, noon + 9 * day, 'pass'),
    ];
    const rules = { olderThan: '7d', failuresOlderThan: '30d' };
    const remove = (retention: object, now: number) => removeOldCollectedRuns(store, new Set([kept]), retention, now);
    expect(await remove({}, noon + 99 * day)).toEqual([]);
    expect(await remove(rules, noon + 10 * day)).toEqual([old]);
    expect(new Set(await remove(rules, noon + 32 * day))).toEqual(new Set([failed, broken, fresh]));
    expect((await store.listRuns(10)).map(({ runId }) => runId)).toEqual([kept]);
  });

  it('are removed by size, the oldest first, while runs that were not collected stay', async () => {
    const { store, spool } = await opened();
    const older = await collectedRun(store, spool, noon, 'pass');
    const newer = await collectedRun(store, spool, noon + day, 'pass');
    const header = await store.findRun(older);
    if (!header) throw new Error('The run is gone.');
    const request = { ...header.request, origin: null };
    await store.createRun({ ...header, runId: 'r-own', startedAt: noon - day, request });
    const sizes = await store.readRunSizes();
    const maxSize = `${((sizes.get(newer) ?? 0) + 1) / 1_024}KB`;
    expect(await removeOldCollectedRuns(store, new Set(), { maxSize }, noon + 2 * day)).toEqual([older]);
    const left = (await store.listRuns(10)).map(({ runId }) => runId);
    expect(new Set(left)).toEqual(new Set([newer, 'r-own']));
  });
});
