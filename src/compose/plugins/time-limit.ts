import { formatDuration } from '../../shared/format.ts';

/** The promise's own end, or a rejection when it takes longer or nobody waits for it any more. */
export async function withinTimeLimit<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  signal?: AbortSignal | undefined,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal?.reason);
    // Holds the process: a promise that waits for nothing would otherwise end it without a word.
    timer = setTimeout(() => reject(new Error(`no answer within ${formatDuration(limitMs)}`)), limitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    if (giveUp) signal?.removeEventListener('abort', giveUp);
  }
}
