/** The rest of a limit, as the provider reports it. */
export interface RateLimitState {
  /** Requests that it still takes; undefined where it does not say. */
  readonly remainingRequests: number | undefined;
  /** Until the first limit that is used up, of requests or of tokens, starts afresh; undefined where none is used up. */
  readonly usedUpForMs: number | undefined;
}

type Headers = Readonly<Record<string, unknown>>;

/** Names are put together once, not for each response. */
const limits = ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind) => ({
  remaining: [`x-ratelimit-remaining-${kind}`, `anthropic-ratelimit-${kind}-remaining`] as const,
  duration: `x-ratelimit-reset-${kind}`,
  date: `anthropic-ratelimit-${kind}-reset`,
}));

/** Reads `x-ratelimit-*` (OpenAI and those that follow it) and `anthropic-ratelimit-*`. */
export function readRateLimits(headers: Headers, nowMs: number): RateLimitState {
  let remainingRequests: number | undefined;
  let usedUpForMs: number | undefined;
  for (const limit of limits) {
    const [usual, anthropic] = limit.remaining;
    const remaining = countIn(headers[usual] ?? headers[anthropic]);
    if (limit === limits[0]) remainingRequests = remaining;
    if (remaining !== 0) continue;
    const resetMs = durationIn(headers[limit.duration]) ?? untilDate(headers[limit.date], nowMs);
    if (resetMs !== undefined) usedUpForMs = Math.max(usedUpForMs ?? 0, resetMs);
  }
  return { remainingRequests, usedUpForMs };
}

function countIn(written: unknown): number | undefined {
  return typeof written === 'string' && /^\d+$/.test(written.trim()) ? Number(written) : undefined;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `1.5s`, `20ms`; a bare number is in seconds. */
function durationIn(written: unknown): number | undefined {
  if (typeof written !== 'string') return undefined;
  const text = written.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

function untilDate(written: unknown, nowMs: number): number | undefined {
  const dateMs = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
