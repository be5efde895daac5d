import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { type McpControl, mcpControl } from './mcp-control.ts';

/** The control of a trial over one of its servers; its actions are trace events. */
export function trialControl({ scenario }: Trial, emit: EmitTrace, server: string): McpControl {
  return mcpControl(scenario.control, (action) => emit({ type: 'tool-control', ...action }), server);
}
