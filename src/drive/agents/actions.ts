import { type ActionKind, actionKindSchema, type Report, reportOfKind } from '../../domain/capability.ts';
import type { TraceEventOf } from '../../domain/trace.ts';

/** The tools of an agent, and which of its actions its output shows. */
export interface AgentActions {
  /** Kind of each tool that is part of it, by the name that its output uses. A tool that is not listed is `other`. */
  readonly tools: Readonly<Record<string, ActionKind>>;
  /** Whether the calls of its sub-agents are in its output; `none` for an agent without sub-agents. */
  readonly subagents: 'reported' | 'hidden' | 'none';
}

/** For an agent that does nothing, or whose work is written down by us: silence means that nothing was done. */
export const everyAction: AgentActions = {
  tools: Object.fromEntries(actionKindSchema.options.map((kind) => [kind, kind])),
  subagents: 'none',
};

type Action = Pick<TraceEventOf<'tool-call'>, 'kind' | 'isUnlistedTool'>;

/** The kind of a tool by the agent's list; tools of MCP servers are recognised by the prefix that agents share. */
export function actionOf({ tools }: AgentActions, tool: string): Action {
  if (Object.hasOwn(tools, tool)) return { kind: tools[tool] };
  return /^mcp__?[^_]/.test(tool) ? { kind: 'mcp' } : { kind: 'other', isUnlistedTool: true };
}

/** The facts about actions that an agent with these tools reports. */
export function reportsOfActions({ tools, subagents }: AgentActions): Report[] {
  const kinds = new Set<ActionKind>([...Object.values(tools), 'mcp', 'other']);
  return [
    'tool-calls',
    ...[...kinds].map((kind) => reportOfKind[kind]),
    ...(subagents === 'hidden' ? [] : ['subagent-calls' as const]),
  ];
}
