/** Members of a trajectory as ATIF 1.7 defines them; those that are not known are left out. */
export interface Trajectory {
  readonly schema_version: string;
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: { readonly name: string; readonly version: string; readonly model_name?: string };
  readonly steps: readonly Step[];
  readonly final_metrics?: FinalMetrics;
  readonly subagent_trajectories?: readonly Trajectory[];
  readonly extra?: Extra;
}

/** Facts that the format has no member for, under one key of ours. */
export interface Extra {
  readonly assay: Readonly<Record<string, unknown>>;
}

export interface Step {
  readonly step_id: number;
  readonly timestamp?: string;
  readonly source: 'system' | 'user' | 'agent';
  readonly model_name?: string;
  readonly message: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly observation?: { readonly results: readonly ObservationResult[] };
  readonly metrics?: Metrics;
  readonly extra?: Extra;
}

export interface ToolCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly extra?: Extra;
}

export interface ObservationResult {
  readonly source_call_id: string;
  readonly content?: string;
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[];
  readonly extra?: Extra;
}

export interface Metrics {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly extra?: Extra;
}

interface FinalMetrics {
  readonly total_prompt_tokens?: number;
  readonly total_completion_tokens?: number;
  readonly total_cost_usd?: number;
  readonly total_steps: number;
}

/** The oldest version that has all members we write: most readers accept it. */
export const writtenVersion = 'ATIF-v1.7';

/** Our own facts, without those that are unknown; undefined where none is left. */
export function extraOf(facts: Readonly<Record<string, unknown>>): Extra | undefined {
  const entries = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return entries.length === 0 ? undefined : { assay: Object.fromEntries(entries) };
}
