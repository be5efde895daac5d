import type { ActionKind } from '../../../domain/capability.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import type { TraceEventOf, UnstampedEvent } from '../../../domain/trace.ts';
import type { ModelTool } from '../../models/model.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** How a tool answered: with a result or with an error, and both are given to the model. */
export type ToolAnswer = { readonly result: unknown } | { readonly error: ToolError };

/** A tool that is offered to a model and run for it. */
export interface RunnableTool extends ModelTool {
  readonly kind: ActionKind;
  /** The MCP server that has the tool. */
  readonly server?: string | undefined;
  /** Name that the server reports. */
  readonly serverTitle?: string | undefined;
  /** Rejects only when the signal is given. */
  run(input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
}

/** Whose tools they are. */
export type OfferedTo = NonNullable<TraceEventOf<'mcp-server'>['offeredTo']>;

/** Tools of one entry of the config in one conversation. */
export interface OfferedTools {
  readonly tools: readonly RunnableTool[];
  /** The server that has them, as the conversation met it; absent for tools that are none of a server. */
  readonly server?: Extract<UnstampedEvent, { type: 'mcp-server' }> | undefined;
  /**
   * The tools for the next turn where the server announced a change of them and such changes are accepted; rejects where
   * they are no longer those that were offered. Absent for tools that cannot change.
   */
  next?(signal: AbortSignal): Promise<OfferedTools | undefined>;
}

/** Tools of one entry of the config. */
export interface OpenTools extends AsyncDisposable {
  readonly tools: readonly RunnableTool[];
  /** The tools as they are when a conversation begins; absent for tools that cannot change. */
  begin?(signal: AbortSignal): Promise<OfferedTools>;
}

/** A tool of the config as a model sees it. */
export function offeredAs({
  name = '',
  description = '',
  input = { type: 'object', properties: {} },
  kind = 'other',
}: ToolConfig): Omit<RunnableTool, 'run'> {
  return { name, description, kind, inputSchema: input };
}
