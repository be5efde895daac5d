import type { ActionKind } from '../capability.ts';
import type { TraceEventOf } from '../trace.ts';

/**
 * The kind of a call as far as it is known. Where the agent's list of tools has not named it, a server or a command line
 * still does, as in traces of earlier versions.
 */
export function actionKindOf(call: Omit<TraceEventOf<'tool-call'>, 'type' | 'at'>): ActionKind | undefined {
  if (call.server !== undefined) return 'mcp';
  if (call.kind !== undefined && call.isUnlistedTool !== true) return call.kind;
  if (/^mcp__.+?__/s.test(call.tool)) return 'mcp';
  return call.shellCommand === undefined ? undefined : 'shell';
}
