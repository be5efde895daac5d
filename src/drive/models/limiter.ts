import { untilAborted } from '../../shared/async.ts';
import type { Clock } from '../pacing/clock.ts';
import type { Model } from './model.ts';

export interface LimiterOptions {
  /** Requests at a time. */
  readonly concurrency: number;
  readonly requestsPerMinute: number | undefined;
  readonly clock: Clock;
}

/** Lets requests through in the order they came: so many at a time, and evenly spread over the minute. */
export class Limiter {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;
  #nextStartMs = 0;

  constructor({ concurrency, requestsPerMinute, clock }: LimiterOptions) {
    this.#free = concurrency;
    this.#spacingMs = requestsPerMinute === undefined ? 0 : 60_000 / requestsPerMinute;
    this.#clock = clock;
  }

  /** Runs the work when it is its turn; rejects with the reason of the signal when that comes first. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#takePlace(signal);
    try {
      await this.#awaitStart(signal);
      return await work();
    } finally {
      this.#leavePlace();
    }
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    let enter: () => void = () => {};
    const turn = new Promise<void>((resolve) => {
      enter = resolve;
    });
    this.#waiting.add(enter);
    await untilAborted(turn, signal).catch((error: unknown) => {
      // The place may have been handed over in the same moment; then the next one gets it.
      if (!this.#waiting.delete(enter)) this.#leavePlace();
      throw error;
    });
  }

  #leavePlace(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#free += 1;
  }

  async #awaitStart(signal: AbortSignal): Promise<void> {
    if (this.#spacingMs === 0) return;
    const nowMs = this.#clock.nowMs();
    const startMs = Math.max(nowMs, this.#nextStartMs);
    this.#nextStartMs = startMs + this.#spacingMs;
    if (startMs > nowMs) await this.#clock.wait(startMs - nowMs, signal);
  }
}

/** Every attempt waits for its turn at the provider. */
export function withLimits(inner: Model, limiter: Limiter): Model {
  return {
    name: inner.name,
    generate: (request, signal, unanswered) => limiter.run(() => inner.generate(request, signal, unanswered), signal),
  };
}
