import type { Clock } from './clock.ts';
import type { Model } from './model.ts';
import { ModelFailure } from './model-failure.ts';

const mostAttempts = 4;
const firstPauseMs = 500;
const longestPauseMs = 20_000;
/** Who asks for more patience than this gets none: the failure is told at once instead. */
const longestRetryAfterMs = 60_000;

/**
 * What may be tried again, shared by all calls to a provider: some tries to begin with, then less than one for every
 * two calls, so that a provider in trouble is never asked more than one and a half times as often as in good times.
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
}

/** Tries again what may come right by itself: after what the provider asks for, else after a random, growing pause. */
export function withRetries(inner: Model, rules: RetryRules): Model {
  return {
    name: inner.name,
    async generate(request, signal) {
      rules.budget.earn();
      for (let attempt = 1; ; attempt++) {
        try {
          return await inner.generate(request, signal);
        } catch (error) {
          const pauseMs = pauseAfter(error, attempt, rules);
          if (pauseMs === undefined || !rules.budget.take()) throw error;
          await rules.clock.wait(pauseMs, signal);
        }
      }
    },
  };
}

function pauseAfter(error: unknown, attempt: number, rules: RetryRules): number | undefined {
  if (!(error instanceof ModelFailure)) return undefined;
  const { retry, retryAfterMs } = error.traits;
  const attempts = { never: 1, once: 2, always: mostAttempts }[retry];
  if (attempt >= attempts) return undefined;
  if (retryAfterMs === undefined) {
    return rules.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  }
  // Those who were told the same time must not all come back at the same time.
  return retryAfterMs > longestRetryAfterMs ? undefined : retryAfterMs + rules.random() * firstPauseMs;
}
