import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { PlacedMock, ToolControl } from '../../../domain/tool-control/mocks.ts';
import { Control, type ControlRule, type Decision } from '../../tool-control/control.ts';
import { MockRule } from '../../tool-control/mock-rule.ts';
import { type McpReply, replyOfMock } from './mcp-reply.ts';

/** The control of a trial over the calls of one MCP server. */
export interface McpControl {
  /** Whether it does anything. */
  readonly isActive: boolean;
  /** Mocks that have to fit the tools of the real server. */
  readonly mocks: readonly PlacedMock[];
  decide(tool: string, args: Readonly<Record<string, unknown>>): Decision<McpReply>;
  readonly onAction: (action: ControlAction) => void;
}

type OnAction = (action: ControlAction) => void;

/** The control of a scenario over one of its servers. */
export function mcpControl(plan: ToolControl | undefined, onAction: OnAction, server: string): McpControl {
  const mocks = plan?.mocks ?? [];
  const rules: ControlRule<McpReply>[] = mocks.length > 0 ? [new MockRule(mocks, replyOfMock)] : [];
  const control = new Control('mcp', rules, onAction);
  return {
    isActive: rules.length > 0,
    mocks,
    decide: (tool, args) => control.decide({ server, tool, args }),
    onAction,
  };
}
