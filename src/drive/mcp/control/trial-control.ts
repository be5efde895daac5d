import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { controlPlan } from '../../tool-control/attack/trial-control-plan.ts';
import { controlSeed } from '../../tool-control/control-seed.ts';
import { type McpControl, mcpControl } from './mcp-control.ts';

/** The control of a trial over one of its servers; its actions are trace events. */
export function trialControl(trial: Trial, emit: EmitTrace, server: string): McpControl {
  const onAction: McpControl['onAction'] = (action) => emit({ type: 'tool-control', ...action });
  return mcpControl(controlPlan(trial), { server, seed: controlSeed(trial), onAction });
}
