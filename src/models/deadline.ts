import { setMaxListeners } from 'node:events';
import { AssayError } from '../domain/errors.ts';
import { formatDuration } from '../shared/durations.ts';
import { untilAborted } from '../shared/until-aborted.ts';
import type { Model } from './model.ts';
import { ModelFailure } from './model-failure.ts';

/** Ends a call, with all that it waits for and tries again, when its time is up, whatever the parts inside do. */
export function withDeadline(inner: Model, timeoutMs: number): Model {
  return {
    name: inner.name,
    async generate(request, signal) {
      const controller = new AbortController();
      const interrupt = (): void => controller.abort(interruption(inner.name, signal.reason));
      if (signal.aborted) interrupt();
      controller.signal.throwIfAborted();
      // Many calls may share one signal; each stops listening when it ends.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', interrupt, { once: true });
      const timer = setTimeout(() => controller.abort(timeIsUp(inner.name, timeoutMs)), timeoutMs);
      try {
        return await untilAborted(inner.generate(request, controller.signal), controller.signal);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', interrupt);
      }
    },
  };
}

function timeIsUp(name: string, timeoutMs: number): ModelFailure {
  const message = `No answer from ${name} within ${formatDuration(timeoutMs)}.`;
  return new ModelFailure('MODEL_TIMEOUT', message, { retry: 'never', isProvidersFault: true, mayBeBilled: true });
}

function interruption(name: string, reason: unknown): AssayError {
  if (reason instanceof AssayError) return reason;
  return new AssayError('INTERRUPTED', `The call of ${name} was interrupted.`, { cause: reason });
}
