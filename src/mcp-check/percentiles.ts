import type { LatencyReport } from './check-report.ts';

/** The usual figures of latencies, to a tenth of a millisecond; null where there are none. */
export function latencyReport(latenciesMs: readonly number[]): LatencyReport | null {
  if (latenciesMs.length === 0) return null;
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  // The smallest value that at least this share of all values does not exceed.
  const rank = (share: number): number => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
