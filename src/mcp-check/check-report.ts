import type { AmbiguityReport } from './ambiguity/prove-pairs.ts';
import type { PinChange } from './baseline.ts';
import type { ToolReport } from './calls/tool-report.ts';
import type { ConformanceReport } from './conformance/conformance-report.ts';
import type { ContextCost } from './context-cost/context-cost.ts';
import type { CheckProblem, Severity } from './definitions/rule.ts';
import type { FeatureReport } from './features/feature.ts';

/** The result of a check; this is the JSON that `assay mcp check --json` prints. */
export interface CheckReport {
  readonly schema: 'assay.mcp-check/1';
  readonly server: {
    readonly label: string;
    readonly name: string;
    readonly version: string;
    readonly transport: string;
    readonly protocolVersion: string;
    /** Name and version of the official SDK beside the server's program; null where none was found. */
    readonly sdk: string | null;
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
