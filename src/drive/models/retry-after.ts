import type { ErrorAnswer } from './error-answer.ts';

/** How long a provider asks to be left alone: in milliseconds, in seconds, as a date, or in the body. */
export function retryAfterMs(
  { headers, bodyRetryAfterMs }: Pick<ErrorAnswer, 'headers' | 'bodyRetryAfterMs'>,
  nowMs: number,
): number | undefined {
  const inMs = numberIn(headers['retry-after-ms']);
  if (inMs !== undefined) return inMs;
  const written = headers['retry-after'];
  const seconds = numberIn(written);
  if (seconds !== undefined) return seconds * 1_000;
  const dateMs = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(dateMs) ? bodyRetryAfterMs : Math.max(0, dateMs - nowMs);
}

function numberIn(written: unknown): number | undefined {
  return typeof written === 'string' && /^\d+(?:\.\d+)?$/.test(written.trim()) ? Number(written) : undefined;
}
