import type { CallReason } from './reason-to-call.ts';

/** How long calls took, in milliseconds. */
interface LatencyReport {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** One tool, and what came of calling it. */
export interface ToolReport {
  readonly name: string;
  /** SHA-256 of the whole definition. */
  readonly pin: string;
  readonly readOnly: boolean;
  /** The grounds for calling it: an option, its annotations, or its name and schema; null for one that was not called. */
  readonly calledFor: CallReason | null;
  /** Why it was not called; null for one that was. */
  readonly leftOut: string | null;
  /** Why not all of its calls were made; null when they were. */
  readonly cutShort: string | null;
  readonly calls: number;
  readonly ok: number;
  readonly refused: number;
  readonly probes: number;
  readonly latencyMs: LatencyReport | null;
  readonly largestOutputBytes: number | null;
  readonly arguments: { readonly total: number; readonly tried: number };
}

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
