import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import type { ToolDefinition } from '../session.ts';
import type { ToolRewrites } from '../tool-rewrites.ts';
import type { CallOutcome, ServerCall } from './call-tool.ts';
import { serverCall } from './call-tool.ts';
import { OfferedTools } from './offered-tools.ts';
import { assertSubsetFits, type ChosenSurface } from './tool-surface.ts';

/** The outcome of a tool that is not one of the server's. */
export interface OwnOutcome {
  readonly text: string;
  readonly error?: string | undefined;
}

/** Makes a call to the server, which is on record like any other. */
export type MakeServerCall = (call: ServerCall) => Promise<CallOutcome>;

/** The meaning of a call of the model: a tool of the server, or one that the surface has in its place. */
export type SurfaceCall =
  | { readonly kind: 'server'; readonly call: ServerCall }
  | {
      readonly kind: 'search' | 'program';
      run(makeCall: MakeServerCall, signal: AbortSignal): Promise<OwnOutcome>;
    };

/** The tools of a server in the way that a model gets to see them. */
export interface Surface {
  readonly forModel: readonly ModelTool[];
  /** Which tools the model knows by other names than the server. */
  readonly renamed: readonly string[];
  read(call: ModelToolCall): SurfaceCall;
}

/** Makes what the model gets to see of a server; throws when the wording or the subset does not fit the server. */
export async function makeSurface(
  tools: readonly ToolDefinition[],
  rewrites: ToolRewrites,
  chosen: ChosenSurface,
): Promise<Surface> {
  assertSubsetFits(
    tools.map(({ name }) => name),
    chosen,
  );
  const offered = new OfferedTools(tools, rewrites, chosen.kind === 'subset' ? new Set(chosen.tools) : undefined);
  // Most runs offer the tools as they are, and need neither of the others.
  if (chosen.kind === 'search') return new (await import('./tool-search.ts')).SearchSurface(offered);
  if (chosen.kind === 'code') return new (await import('./code-surface.ts')).CodeSurface(offered);
  return directSurface(offered);
}

/** Each tool is offered as it is. */
export function directSurface(offered: OfferedTools): Surface {
  const { forModel, renamed } = offered;
  return { forModel, renamed, read: (call) => ({ kind: 'server', call: serverCall(call, offered) }) };
}
