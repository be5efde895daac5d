import { formatDuration } from '../shared/durations.ts';

/** The promise's own end, or a rejection when it takes longer or nobody waits for it any more. */
export function withinTimeLimit<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  signal?: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal?.reason);
    // Holds the process: a promise that waits for nothing would otherwise end it without a word.
    const timer = setTimeout(() => reject(new Error(`no answer within ${formatDuration(limitMs)}`)), limitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    promise.then(resolve, reject);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    promise.then(settle, settle);
  });
}
