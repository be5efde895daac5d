import { backoffMs } from '../../shared/http/retry-after.ts';
import type { Clock } from '../pacing/clock.ts';
import { type Model, ModelFailure } from './model.ts';

const mostAttempts = 4;
/** Where nothing listens, waiting longer is seldom worth it. */
const mostAttemptsToConnect = 3;
const pauses = { firstMs: 500, longestMs: 60_000 };
/** A longer wait is not worth it: the failure is reported at once instead. */
const longestRetryAfterMs = 60_000;

/**
 * The retries that all calls to a provider share: some to begin with, then less than one for every two calls. A
 * provider in trouble never gets more than one and a half times the usual number of requests.
 */
export class RetryBudget {
  #tries = 10;

  earn(): void {
    this.#tries = Math.min(50, this.#tries + 0.45);
  }

  take(): boolean {
    if (this.#tries < 1) return false;
    this.#tries -= 1;
    return true;
  }
}

export interface RetryRules {
  readonly budget: RetryBudget;
  readonly clock: Clock;
  /** From 0 to below 1. */
  random(): number;
  /** Takes the pauses that the server requested. */
  countWait?(ms: number): void;
}

/** Tries again what may come right by itself: after what the provider asks for, else after a random, growing pause. */
export function withRetries(inner: Model, rules: RetryRules): Model {
  return {
    name: inner.name,
    async generate(request, signal, unanswered) {
      rules.budget.earn();
      const failures: ModelFailure[] = [];
      for (;;) {
        try {
          return await inner.generate(request, signal, unanswered);
        } catch (error) {
          if (!(error instanceof ModelFailure)) throw error;
          failures.push(error);
          if (!mayComeRight(error, failures) || !rules.budget.take()) throw error;
          const pauseMs = pauseAfter(error, failures.length, rules);
          await rules.clock.wait(pauseMs, signal);
          if (error.traits.retryAfterMs !== undefined) rules.countWait?.(pauseMs);
        }
      }
    },
  };
}

function mayComeRight(
  { traits: { retry, retryAfterMs = 0, isUnreachable } }: ModelFailure,
  failures: readonly ModelFailure[],
): boolean {
  const most = isUnreachable ? mostAttemptsToConnect : mostAttempts;
  if (retry === 'never' || failures.length >= most || retryAfterMs > longestRetryAfterMs) return false;
  return retry === 'always' || failures.filter(({ traits }) => traits.retry === 'once').length < 2;
}

function pauseAfter({ traits: { retryAfterMs } }: ModelFailure, attempts: number, { random }: RetryRules): number {
  const requestedMs = retryAfterMs === undefined ? undefined : retryAfterMs + random() * pauses.firstMs;
  return requestedMs ?? backoffMs(attempts, pauses, random);
}
