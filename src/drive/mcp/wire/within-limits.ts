import { AssayError } from '../../../domain/errors.ts';

interface Limits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The promise's own end, or a rejection when the time is up or the signal is aborted; `what` is what is waited for. */
export function withinLimits<Value>(
  promise: Promise<Value>,
  { timeoutMs, signal }: Limits,
  what: string | (() => string),
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const named = (): string => (typeof what === 'string' ? what : what());
    const onAbort = (): void => reject(new AssayError('INTERRUPTED', `Stopped while waiting for ${named()}.`));
    const onTimeout = (): void =>
      reject(new AssayError('MCP_SERVER_TIMEOUT', `Timed out after ${timeoutMs} ms waiting for ${named()}.`));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    promise.then(resolve, reject).finally(settle);
  });
}
