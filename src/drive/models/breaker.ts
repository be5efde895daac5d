import { untilAborted } from '../../shared/async.ts';
import { formatDuration } from '../../shared/format.ts';
import type { Clock } from '../pacing/clock.ts';
import { type Model, ModelFailure } from './model.ts';

const failuresThatOpen = 5;
const firstCoolDownMs = 500;
const longestCoolDownMs = 30_000;
/** A provider that has been down for longer is not waited for. */
const patienceMs = 30_000;
/** Nor is one that still takes no connections when it was tried so often: 0.5 and 1.5 seconds after the outage began. */
const triesToConnect = 2;

interface Outage {
  readonly beganMs: number;
  coolDownMs: number;
  nextProbeMs: number;
  failedProbes: number;
  /** Settles, never rejects, when the one call that was let through has ended. */
  probe: Promise<unknown> | undefined;
}

/**
 * Stops asking a provider that fails time after time. Calls wait while one of them tries whether it works again; when
 * it has been down for longer than our patience, the others fail at once instead. A provider that works badly is waited
 * for longer than an address at which nothing listens.
 */
export class Breaker {
  readonly #provider: string;
  readonly #clock: Clock;
  #failuresInARow = 0;
  /** Of these, the last ones without a connection. */
  #unconnectedInARow = 0;
  #lastFailure = '';
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
      if (this.#isGivenUp(outage)) throw this.#unreachable();
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
          outage.failedProbes += 1;
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
      if (isProvidersFault(error)) this.#countFailure(error);
      // A refusal is an answer: the provider works. An interrupted call says nothing about it.
      else if (error instanceof ModelFailure) this.#close();
      throw error;
    }
  }

  #close(): void {
    this.#failuresInARow = 0;
    this.#unconnectedInARow = 0;
    this.#outage = undefined;
  }

  #countFailure({ traits, message }: ModelFailure): void {
    this.#failuresInARow += 1;
    this.#unconnectedInARow = traits.isUnreachable ? this.#unconnectedInARow + 1 : 0;
    this.#lastFailure = message;
    if (this.#outage || this.#failuresInARow < failuresThatOpen) return;
    const nowMs = this.#clock.nowMs();
    const nextProbeMs = nowMs + firstCoolDownMs;
    this.#outage = { beganMs: nowMs, coolDownMs: firstCoolDownMs, nextProbeMs, failedProbes: 0, probe: undefined };
  }

  #isGivenUp({ failedProbes }: Outage): boolean {
    return failedProbes >= triesToConnect && this.#unconnectedInARow === this.#failuresInARow;
  }

  /** The same for all calls that wait: it is one fault. */
  #unreachable(): ModelFailure {
    return notSent(`${this.#provider} cannot be reached, so no request was sent. Last attempt: ${this.#lastFailure}`);
  }

  #downSince(ms: number): ModelFailure {
    return notSent(
      `The circuit breaker of ${this.#provider} is open: requests have been failing for ${formatDuration(ms)}, so no request was sent.`,
    );
  }
}

function notSent(message: string): ModelFailure {
  return new ModelFailure('MODEL_UNAVAILABLE', message, { retry: 'never', isProvidersFault: true, mayBeBilled: false });
}

function isProvidersFault(error: unknown): error is ModelFailure {
  return error instanceof ModelFailure && error.traits.isProvidersFault;
}

/** Calls go through the breaker of the provider. */
export function withBreaker(inner: Model, breaker: Breaker): Model {
  return {
    name: inner.name,
    generate: (request, signal, unanswered) => breaker.run(() => inner.generate(request, signal, unanswered), signal),
  };
}
