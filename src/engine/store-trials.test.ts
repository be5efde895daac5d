import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunEvent } from '../domain/run.ts';
import { openStore } from '../keep/store/open-store.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import { finishedTrial } from '../testing/samples.ts';
import { repetitions } from '../testing/support/repetitions.ts';
import { RecordWriter } from './store-trials.ts';

type Save = (trials: readonly FinishedTrial[], store: Store) => Promise<void>;

/** A real store whose commits can be watched, held up or made to fail. */
async function storeThat(save: Save): Promise<Store> {
  const store = await openStore('sqlite::memory:', '/');
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { ...store, saveTrials: (trials) => save(trials, store) };
}

function ordinalEmitter(): { readonly emitted: number[]; readonly emit: (event: RunEvent) => void } {
  const emitted: number[] = [];
  return { emitted, emit: (event) => void (event.type === 'trial-finished' && emitted.push(event.record.ordinal)) };
}

const trials = (count: number): FinishedTrial[] =>
  Array.from({ length: count }, (_, index) => finishedTrial('r-1', index));

describe('RecordWriter', () => {
  it('emits a trial only when its commit is done', async () => {
    let finishCommit: () => void = () => {};
    const begun = new Promise<void>((resolveBegun) => {
      finishCommit = resolveBegun;
    });
    const { emitted, emit } = ordinalEmitter();
    const emittedAtCommit: number[] = [];
    const store = await storeThat(async (batch, real) => {
      await begun;
      emittedAtCommit.push(emitted.length);
      await real.saveTrials(batch);
      emittedAtCommit.push(emitted.length);
    });
    const writer = new RecordWriter(store, emit);
    for (const trial of trials(3)) await writer.add(trial);
    const flushed = writer.flush();
    finishCommit();
    await flushed;
    expect(emittedAtCommit).toEqual([0, 0]);
    expect(emitted).toEqual([0, 1, 2]);
  });

  it('lets a trial wait for others a tenth of a second at most, however slow commits are', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun: number[] = [];
    const saveTrials: Store['saveTrials'] = async (batch) => {
      begun.push(...batch.map(({ record }) => record.ordinal));
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    };
    await using writer = new RecordWriter({ saveTrials }, () => undefined);
    const [first, second] = trials(2) as [FinishedTrial, FinishedTrial];
    await writer.add(first);
    await vi.advanceTimersByTimeAsync(6_000);
    await writer.add(second);
    await vi.advanceTimersByTimeAsync(99);
    expect(begun).toEqual([0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(5_000);
  });

  it('stores and emits every trial once and in order, whatever the timing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 300 }), { maxLength: 6 }),
        fc.infiniteStream(fc.nat({ max: 3 })),
        async (bursts, turns) => {
          const store = await storeThat(async (batch, real) => {
            for (let turn = turns.next().value; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
            await real.saveTrials(batch);
          });
          const { emitted, emit } = ordinalEmitter();
          const all = trials(bursts.reduce((sum, burst) => sum + burst, 0));
          {
            await using writer = new RecordWriter(store, emit);
            let next = 0;
            for (const burst of bursts) {
              await Promise.all(all.slice(next, next + burst).map((trial) => writer.add(trial)));
              next += burst;
            }
          }
          expect(emitted).toEqual(all.map(({ record }) => record.ordinal));
          expect((await store.countTrials('r-1')).pass).toBe(all.length);
        },
      ),
      { seed: 10, numRuns: repetitions({ usual: 5, inFull: 15 }) },
    );
  });

  it('lets the run wait when too many trials wait for their commit', async () => {
    const sizes: number[] = [];
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = await storeThat(async (batch, real) => {
      sizes.push(batch.length);
      await held;
      await real.saveTrials(batch);
    });
    await using writer = new RecordWriter(store, () => undefined);
    let taken = 0;
    const adding = (async () => {
      for (const trial of trials(2_000)) {
        await writer.add(trial);
        taken++;
      }
    })();
    await expect.poll(() => sizes.length).toBe(1);
    await expect.poll(() => taken).toBeGreaterThan(500);
    expect(taken).toBeLessThan(1_000);
    release();
    await adding;
    await writer.flush();
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256);
    expect((await store.countTrials('r-1')).pass).toBe(2_000);
  });

  it('throws a failed commit to callers that add or wait, and emits nothing', async () => {
    const store = await storeThat(async () => {
      throw new Error('the disk is full');
    });
    const { emitted, emit } = ordinalEmitter();
    const writer = new RecordWriter(store, emit);
    await writer.add(finishedTrial('r-1', 0));
    const unavailable = { code: 'STORE_UNAVAILABLE', message: 'the disk is full' };
    await expect(writer.flush()).rejects.toMatchObject(unavailable);
    await expect(writer.add(finishedTrial('r-1', 1))).rejects.toMatchObject(unavailable);
    await expect(writer[Symbol.asyncDispose]()).resolves.toBeUndefined();
    expect(emitted).toEqual([]);
  });
});
