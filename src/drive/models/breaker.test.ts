import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { failureOf, skippingClock } from '../../testing/support/models.ts';
import { Breaker } from './breaker.ts';
import { ModelFailure } from './model.ts';

const never = new AbortController().signal;
const outage = new ModelFailure('MODEL_UNAVAILABLE', 'down', {
  retry: 'always',
  isProvidersFault: true,
  mayBeBilled: false,
});
const unreachable = new ModelFailure('MODEL_UNAVAILABLE', 'openai/gpt-4o: connect ECONNREFUSED', {
  ...outage.traits,
  isUnreachable: true,
});
const refusal = new ModelFailure('MODEL_RATE_LIMITED', 'slow down', {
  retry: 'always',
  isProvidersFault: false,
  mayBeBilled: false,
});

/** Long enough for everything that waits for nothing but its turn. */
const twoTurns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function breaker() {
  const clock = skippingClock(() => 0);
  const tested = new Breaker('openai', clock);
  const fail = (error: AssayError = outage) => failureOf(tested.run(() => Promise.reject(error), never));
  const failTimes = async (times: number, error?: AssayError): Promise<void> => {
    for (let time = 0; time < times; time++) await fail(error);
  };
  return { clock, tested, fail, failTimes };
}

describe('Breaker', () => {
  it('opens after five failures in a row, and lets one call try again after half a second', async () => {
    const { clock, tested, failTimes } = breaker();
    await failTimes(5);
    expect(clock.waitedMs).toEqual([]);
    expect(await tested.run(async () => 'works', never)).toBe('works');
    expect(clock.waitedMs).toEqual([500]);
    await tested.run(async () => 'works', never);
    expect(clock.waitedMs).toEqual([500]);
  });

  it('stays closed when the provider refuses, or works now and then', async () => {
    const { clock, tested, failTimes } = breaker();
    await failTimes(20, refusal);
    await failTimes(4);
    await failTimes(1, refusal);
    await failTimes(4);
    await tested.run(async () => 'works', never);
    await failTimes(5);
    expect(clock.waitedMs).toEqual([]);
  });

  it('lets one call through while the others wait for how it ends', async () => {
    const { tested, failTimes } = breaker();
    await failTimes(5);
    let begun = 0;
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const calls = Array.from({ length: 10 }, () =>
      tested.run(async () => {
        begun += 1;
        await ended;
      }, never),
    );
    await twoTurns();
    expect(begun).toBe(1);
    end();
    await Promise.all(calls);
    expect(begun).toBe(10);
  });

  it('waits longer after each failed try, then fails at once and says why', async () => {
    const { clock, tested, fail, failTimes } = breaker();
    await failTimes(5);
    await failTimes(6);
    expect(clock.waitedMs).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000]);
    const failure = await fail();
    expect(failure.message).toBe(
      'The circuit breaker of openai is open: requests have been failing for 31.5 s, so no request was sent.',
    );
    expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', traits: { retry: 'never', mayBeBilled: false } });
    let isCalled = false;
    await failureOf(
      tested.run(async () => {
        isCalled = true;
      }, never),
    );
    expect(isCalled).toBe(false);
    await clock.wait(30_000, never);
    expect(await tested.run(async () => 'works', never)).toBe('works');
  });

  it('gives up after one and a half seconds on an address that takes no connections, with the same error for all calls', async () => {
    const { clock, tested, fail, failTimes } = breaker();
    await failTimes(7, unreachable);
    expect(clock.waitedMs).toEqual([500, 1_000]);
    const failures = await Promise.all([fail(unreachable), fail(unreachable)]);
    for (const failure of failures) {
      expect(failure.message).toBe(
        'openai cannot be reached, so no request was sent. Last attempt: openai/gpt-4o: connect ECONNREFUSED',
      );
      expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', traits: { retry: 'never', mayBeBilled: false } });
    }
    await clock.wait(30_000, never);
    expect(await tested.run(async () => 'works', never)).toBe('works');
  });

  it('waits longer for a provider that took one of the connections', async () => {
    const { clock, failTimes } = breaker();
    await failTimes(4, unreachable);
    await failTimes(1);
    await failTimes(3, unreachable);
    expect(clock.waitedMs).toEqual([500, 1_000, 2_000]);
  });

  it('gives the next call a try when the one before was interrupted', async () => {
    const { clock, tested, fail, failTimes } = breaker();
    await failTimes(5);
    expect((await fail(new AssayError('INTERRUPTED', 'stopped'))).code).toBe('INTERRUPTED');
    expect(await tested.run(async () => 'works', never)).toBe('works');
    expect(clock.waitedMs).toEqual([500]);
  });

  it('lets a waiting call go when its time is up', async () => {
    const { tested, failTimes } = breaker();
    await failTimes(5);
    void tested.run(() => new Promise<string>(() => undefined), never);
    await twoTurns();
    const controller = new AbortController();
    const waiting = tested.run(async () => 'works', controller.signal);
    controller.abort(new AssayError('MODEL_TIMEOUT', 'time is up'));
    expect((await failureOf(waiting)).code).toBe('MODEL_TIMEOUT');
  });
});
