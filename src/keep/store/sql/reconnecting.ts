import { setTimeout as wait } from 'node:timers/promises';
import { AssayError } from '../../../domain/errors.ts';
import type { Store } from '../store.ts';
import { isConflict, isPassing } from './postgres-failures.ts';

/** How long, and how loudly, a store waits for a database that went away. */
export interface Reconnection {
  readonly limitMs: number;
  readonly shown: string;
  warn(message: string): void;
}

/** Does something that may be done twice, and does it again while the database is away. */
export type Reconnecting = <Result>(work: () => Promise<Result>) => Promise<Result>;

const longestPauseMs = 2_000;

/** Makes work outlive a restart of the database; each absence is told once, however many wait for its end. */
export function reconnecting({ limitMs, shown, warn }: Reconnection): Reconnecting {
  let isAway = false;
  return async (work) => {
    let failedAt: number | undefined;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const result = await work();
        if (failedAt !== undefined) isAway = false;
        return result;
      } catch (error) {
        failedAt ??= performance.now();
        const isAbsence = isPassing(error);
        if (!isAbsence && !isConflict(error)) throw error;
        if (performance.now() - failedAt > limitMs) {
          isAway = false;
          throw stillAway(error, shown, limitMs);
        }
        if (isAbsence && !isAway) warn(awayWarning(error, shown, limitMs));
        isAway ||= isAbsence;
        await wait(pauseMs);
      }
    }
  };
}

function awayWarning(error: unknown, shown: string, limitMs: number): string {
  return `The store ${shown} went away (${reasonOf(error)}); trying again for up to ${Math.round(limitMs / 1_000)} s.`;
}

function stillAway(error: unknown, shown: string, limitMs: number): AssayError {
  const message = `The store ${shown} did not come back within ${Math.round(limitMs / 1_000)} s: ${reasonOf(error)}`;
  return new AssayError('STORE_UNAVAILABLE', message, { cause: error });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The same store, which waits for its database. Nothing is stored twice: trials are known by their content. Removing
 * runs is not done again, because the second time would not tell what the first one removed.
 */
export function withReconnection(store: Store, again: Reconnecting): Store {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    name === 'deleteRunsBefore' ? method : (...given: never[]) => again(() => method(...given)),
  ]);
  return { ...Object.fromEntries(methods), [Symbol.asyncDispose]: store[Symbol.asyncDispose] } as Store;
}
