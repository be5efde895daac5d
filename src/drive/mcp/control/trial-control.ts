import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { type McpControl, mcpControl } from './mcp-control.ts';

/** The control of a trial over one of its servers; its actions are trace events. */
export function trialControl(trial: Trial, emit: EmitTrace, server: string): McpControl {
  const onAction: McpControl['onAction'] = (action) => emit({ type: 'tool-control', ...action });
  return mcpControl(trial.scenario.control, { server, seed: controlSeed(trial), onAction });
}

/** The same for a trial that is resumed, and another for each repeat. */
export function controlSeed({ scenario, case: { caseId }, variant, repeat }: Trial): string {
  return canonicalJson([scenario.name, caseId, variant, repeat]);
}
