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
