import type { PinChange } from './baseline/compare-pins.ts';
import type { ConformanceReport } from './conformance/conformance-report.ts';
import type { CheckProblem, Severity } from './rule.ts';

/** How long calls took, in milliseconds. */
export interface LatencyReport {
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

/** What a check found out; this is the JSON that `assay mcp-check --json` prints. */
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
  readonly tools: readonly ToolReport[];
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
