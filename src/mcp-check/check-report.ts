import type { AmbiguityReport } from './ambiguity/prove-pairs.ts';
import type { PinChange } from './baseline.ts';
import type { CallReason } from './calls/reason-to-call.ts';
import type { ConformanceReport } from './conformance/conformance-report.ts';
import type { ContextCost } from './context-cost/context-cost.ts';
import { estimateTokens } from './context-cost/estimate-tokens.ts';
import type { ListedTool } from './listed-server.ts';
import type { CheckProblem, Severity } from './rule.ts';

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

/** A feature beside tools, and how many requests about it were answered well. */
export interface FeatureReport {
  readonly name: string;
  readonly tried: number;
  readonly ok: number;
  /** Why not everything was tried; null when it was. */
  readonly leftOut: string | null;
}

/** The result of a check; this is the JSON that `assay mcp-check --json` prints. */
export interface CheckReport {
  readonly schema: 'assay.mcp-check/1';
  readonly server: {
    readonly label: string;
    readonly name: string;
    readonly version: string;
    readonly transport: string;
    readonly protocolVersion: string;
    readonly capabilities: readonly string[];
    readonly instructions: string | null;
  };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  /** Why the check could not be finished; null when it was. */
  readonly incomplete: string | null;
  readonly counts: {
    readonly tools: number;
    readonly resources: number;
    readonly resourceTemplates: number;
    readonly prompts: number;
  };
  /** About how much of every request to a model the definitions take. */
  readonly definitionTokens: number;
  /** The same for each kind of client, tool by tool; null for a server that was not listed. */
  readonly contextCost: ContextCost | null;
  /** Pairs of tools that seem ambiguous, tried on a model; null where no model was named. */
  readonly ambiguity: AmbiguityReport | null;
  readonly tools: readonly ToolReport[];
  readonly features: readonly FeatureReport[];
  readonly coverage: { readonly called: number; readonly total: number };
  readonly totals: Readonly<Record<Severity, number>>;
  readonly problems: readonly CheckProblem[];
  readonly baseline: {
    readonly file: string;
    readonly state: 'same' | 'changed' | 'written';
    readonly changes: readonly PinChange[];
  } | null;
  readonly conformance: ConformanceReport | null;
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

/** About how many tokens the definitions take in every request to a model: name, description and arguments. */
export function definitionTokens(tools: readonly ListedTool[]): number {
  return tools.reduce((total, { name, description, inputSchema }) => {
    return total + estimateTokens(JSON.stringify({ name, description, inputSchema }));
  }, 0);
}
