import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pullConcurrently } from './async.ts';

async function* numbers(count = Number.POSITIVE_INFINITY): AsyncGenerator<number, void> {
  for (let number = 0; number < count; number++) yield number;
}

describe('pullConcurrently', () => {
  it('works on every item once, and never on more than the limit at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.scheduler(),
        async (count, limit, scheduler) => {
          const done: number[] = [];
          let running = 0;
          let most = 0;
          const pulling = pullConcurrently(numbers(count), limit, async (item) => {
            most = Math.max(most, ++running);
            await scheduler.schedule(Promise.resolve());
            running--;
            done.push(item);
          });
          await scheduler.waitFor(pulling);
          expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, index) => index));
          expect(most).toBeLessThanOrEqual(limit);
        },
      ),
      { seed: 3, numRuns: 50 },
    );
  });

  it('pulls an endless sequence only as far as it has room, and lets go of it after a failure', async () => {
    let pulled = 0;
    let isReleased = false;
    async function* endless(): AsyncGenerator<number, void> {
      try {
        for (;;) yield pulled++;
      } finally {
        isReleased = true;
      }
    }
    const pulling = pullConcurrently(endless(), 3, async (item) => {
      if (item === 7) throw new Error('seven');
    });
    await expect(pulling).rejects.toThrow('seven');
    expect(pulled).toBeLessThanOrEqual(7 + 3 + 1);
    expect(isReleased).toBe(true);
  });

  it('throws the failure that came first, after the work in flight has settled', async () => {
    let isSettled = false;
    const pulling = pullConcurrently(numbers(), 2, async (item) => {
      if (item === 1) throw new Error('first');
      await new Promise((resolve) => setImmediate(resolve));
      isSettled = true;
      throw new Error('second');
    });
    await expect(pulling).rejects.toThrow('first');
    expect(isSettled).toBe(true);
  });

  it('throws what the sequence itself throws', async () => {
    async function* broken(): AsyncGenerator<number, void> {
      yield 1;
      throw new Error('unreadable');
    }
    await expect(pullConcurrently(broken(), 4, async () => undefined)).rejects.toThrow('unreadable');
  });
});
