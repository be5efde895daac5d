import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { failureOf, skippingClock } from '../../testing/support/models.ts';
import { Limiter } from './limiter.ts';

const never = new AbortController().signal;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Limiter', () => {
  it('runs no more than allowed at a time, in order, whatever fails or goes away', async () => {
    const call = fc.constantFrom('works', 'fails', 'goes away');
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (calls, concurrency) => {
          const limiter = new Limiter({ concurrency, requestsPerMinute: undefined, clock: skippingClock() });
          const started: number[] = [];
          let running = 0;
          let most = 0;
          const ends = calls.map((kind, index) => {
            const controller = new AbortController();
            const work = async (): Promise<void> => {
              started.push(index);
              most = Math.max(most, ++running);
              await nextTurn();
              running -= 1;
              if (kind === 'fails') throw new Error('failed');
            };
            const end = limiter.run(work, controller.signal).catch(() => undefined);
            if (kind === 'goes away') controller.abort(new AssayError('INTERRUPTED', 'gone'));
            return end;
          });
          await Promise.all(ends);
          expect(most).toBeLessThanOrEqual(concurrency);
          expect(started).toEqual(started.toSorted((a, b) => a - b));
          const unspoilt = calls.flatMap((kind, index) => (kind === 'goes away' ? [] : [index]));
          expect(started).toEqual(expect.arrayContaining(unspoilt));
          expect(await limiter.run(async () => 'free again', never)).toBe('free again');
        },
      ),
      { seed: 21, numRuns: 200 },
    );
  });

  it('spreads requests evenly over the minute', async () => {
    const clock = skippingClock(() => 0);
    const limiter = new Limiter({ concurrency: 1, requestsPerMinute: 30, clock });
    const startedMs: number[] = [];
    for (let call = 0; call < 4; call++) await limiter.run(async () => startedMs.push(clock.nowMs()), never);
    expect(startedMs).toEqual([0, 2_000, 4_000, 6_000]);
  });

  it('does not make up for quiet times', async () => {
    const clock = skippingClock(() => 0);
    const limiter = new Limiter({ concurrency: 1, requestsPerMinute: 60, clock });
    await limiter.run(async () => undefined, never);
    await clock.wait(60_000, never);
    const startedMs: number[] = [];
    for (let call = 0; call < 3; call++) await limiter.run(async () => startedMs.push(clock.nowMs()), never);
    expect(startedMs).toEqual([60_000, 61_000, 62_000]);
  });

  it('frees the place of a call that goes away while it waits for its minute', async () => {
    const limiter = new Limiter({ concurrency: 1, requestsPerMinute: 1, clock: skippingClock() });
    const controller = new AbortController();
    await limiter.run(async () => undefined, never);
    controller.abort(new AssayError('INTERRUPTED', 'gone'));
    expect((await failureOf(limiter.run(async () => undefined, controller.signal))).code).toBe('INTERRUPTED');
    expect(await limiter.run(async () => 'next', never)).toBe('next');
  });
});
