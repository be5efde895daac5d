import type { ActionKind } from '../../../domain/capability.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
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

/** Tools of one entry of the config. */
export interface OpenTools extends AsyncDisposable {
  readonly tools: readonly RunnableTool[];
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
