import { setMaxListeners } from 'node:events';
import { AssayError } from '../../domain/errors.ts';
import { formatDuration } from '../../shared/format.ts';
import type { Pace } from '../pacing/pace.ts';
import { type Model, ModelFailure } from './model.ts';

/** Ends a call that is not waited for any more. */
export type EndCall = (reason: AssayError) => void;

/**
 * Ends a call, with all that it waits for and tries again, when its time is up, whatever the parts inside do. Calls are in
 * `underWay` as long as they last.
 */
export function withDeadline(inner: Model, timeoutMs: number, underWay: Set<EndCall> = new Set()): Model {
  return {
    name: inner.name,
    generate: (request, signal, unanswered) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(interruption(inner.name, signal.reason));
        const controller = new AbortController();
        const end: EndCall = (reason) => {
          tidyUp();
          controller.abort(reason);
          reject(reason);
        };
        const interrupt = (): void => end(interruption(inner.name, signal.reason));
        // Many calls may share one signal; each stops listening when it ends.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', interrupt, { once: true });
        const timer = setTimeout(() => end(timeIsUp(inner.name, timeoutMs)), timeoutMs);
        underWay.add(end);
        const tidyUp = (): void => {
          clearTimeout(timer);
          underWay.delete(end);
          signal.removeEventListener('abort', interrupt);
        };
        inner.generate(request, controller.signal, unanswered).then(resolve, reject).finally(tidyUp);
      }),
  };
}

function timeIsUp(name: string, timeoutMs: number): ModelFailure {
  const message = `No answer from ${name} within ${formatDuration(timeoutMs)}.`;
  return new ModelFailure('MODEL_TIMEOUT', message, { retry: 'never', isProvidersFault: true, mayBeBilled: true });
}

/** The error of a call whose signal was given. */
function interruption(name: string, reason: unknown): AssayError {
  if (reason instanceof AssayError) return reason;
  return new AssayError('INTERRUPTED', `The call of ${name} was interrupted.`, { cause: reason });
}

/** A call waits for its turn at the server; its retries are part of the turn. */
export function withPace(inner: Model, pace: Pace): Model {
  return {
    name: inner.name,
    async generate(request, signal, unanswered, clock) {
      const leave = await pace.enter(signal, clock).catch((reason: unknown) => {
        throw interruption(inner.name, reason);
      });
      try {
        return await inner.generate(request, signal, unanswered);
      } finally {
        leave();
      }
    },
  };
}
