import { untilAborted } from '../../shared/async.ts';
import { formatDuration } from '../../shared/format.ts';
import type { Clock } from '../pacing/clock.ts';
import type { Model } from './model.ts';
import { ModelFailure } from './model-failure.ts';

const failuresThatOpen = 5;
const firstCoolDownMs = 1_000;
const longestCoolDownMs = 30_000;
/** A provider that has been down for longer is not waited for. */
const patienceMs = 30_000;

interface Outage {
  readonly beganMs: number;
  coolDownMs: number;
  nextProbeMs: number;
  /** Settles, never rejects, when the one call that was let through has ended. */
  probe: Promise<unknown> | undefined;
}

/**
 * Stops asking a provider that fails time after time. Calls wait while one of them tries whether it works again; when
 * it has been down for longer than our patience, the others fail at once instead.
 */
export class Breaker {
  readonly #provider: string;
  readonly #clock: Clock;
  #failuresInARow = 0;
  #outage: Outage | undefined;

  constructor(provider: string, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (let outage = this.#outage; outage; outage = this.#outage) {
      const nowMs = this.#clock.nowMs();
      const isProbeDue = nowMs >= outage.nextProbeMs;
      if (isProbeDue && !outage.probe) return this.#runProbe(outage, work);
      if (nowMs - outage.beganMs > patienceMs) throw this.#downSince(nowMs - outage.beganMs);
      await (isProbeDue && outage.probe
        ? untilAborted(outage.probe, signal)
        : this.#clock.wait(outage.nextProbeMs - nowMs, signal));
    }
    return this.#watch(work);
  }

  #runProbe<Result>(outage: Outage, work: () => Promise<Result>): Promise<Result> {
    const probe = this.#watch(work)
      .catch((error: unknown) => {
        if (isProvidersFault(error)) {
          outage.coolDownMs = Math.min(longestCoolDownMs, outage.coolDownMs * 2);
          outage.nextProbeMs = this.#clock.nowMs() + outage.coolDownMs;
        }
        throw error;
      })
      .finally(() => {
        outage.probe = undefined;
      });
    outage.probe = probe.catch(() => undefined);
    return probe;
  }

  async #watch<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.#close();
      return result;
    } catch (error) {
      if (isProvidersFault(error)) this.#countFailure();
      // A refusal is an answer: the provider works. An interrupted call says nothing about it.
      else if (error instanceof ModelFailure) this.#close();
      throw error;
    }
  }

  #close(): void {
    this.#failuresInARow = 0;
    this.#outage = undefined;
  }

  #countFailure(): void {
    this.#failuresInARow += 1;
    if (this.#outage || this.#failuresInARow < failuresThatOpen) return;
    const nowMs = this.#clock.nowMs();
    const nextProbeMs = nowMs + firstCoolDownMs;
    this.#outage = { beganMs: nowMs, coolDownMs: firstCoolDownMs, nextProbeMs, probe: undefined };
  }

  #downSince(ms: number): ModelFailure {
    const message = `The circuit breaker of ${this.#provider} is open: requests have been failing for ${formatDuration(ms)}, so no request was sent.`;
    return new ModelFailure('MODEL_UNAVAILABLE', message, {
      retry: 'never',
      isProvidersFault: true,
      mayBeBilled: false,
    });
  }
}

function isProvidersFault(error: unknown): boolean {
  return error instanceof ModelFailure && error.traits.isProvidersFault;
}

/** Calls go through the breaker of the provider. */
export function withBreaker(inner: Model, breaker: Breaker): Model {
  return {
    name: inner.name,
    generate: (request, signal, unanswered) => breaker.run(() => inner.generate(request, signal, unanswered), signal),
  };
}
