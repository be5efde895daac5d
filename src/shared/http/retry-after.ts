import { pause } from '../async.ts';

/** Pauses between attempts: the first one, and the longest that they grow to. */
interface RetryPauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Waits before the next attempt: longer after each failure, never shorter than the server asks, or until the signal. */
export function pauseBeforeRetry(
  failures: number,
  { firstMs, longestMs }: RetryPauses,
  headers: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  return pause(Math.max(backoffMs(failures, { firstMs, longestMs }), retryAfterMs(headers, Date.now()) ?? 0), signal);
}

/** A pause that doubles with each failure. Its random part keeps senders that failed together from returning together. */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: RetryPauses,
  random: () => number = Math.random,
): number {
  return Math.round(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (0.5 + random() / 2));
}

/** How long a server asks to be left alone: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Readonly<Record<string, unknown>>, nowMs: number): number | undefined {
  const inMs = numberIn(headers['retry-after-ms']);
  if (inMs !== undefined) return inMs;
  const written = headers['retry-after'];
  const seconds = numberIn(written);
  if (seconds !== undefined) return seconds * 1_000;
  const dateMs = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function numberIn(written: unknown): number | undefined {
  return typeof written === 'string' && /^\d+(?:\.\d+)?$/.test(written.trim()) ? Number(written) : undefined;
}
