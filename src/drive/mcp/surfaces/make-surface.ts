import type { ToolDefinition } from '../session.ts';
import type { ToolRewrites } from '../tool-rewrites.ts';
import { serverCall } from './call-tool.ts';
import { OfferedTools } from './offered-tools.ts';
import type { Surface } from './surface.ts';
import { assertSubsetFits, type ChosenSurface } from './tool-surface.ts';

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
  if (chosen.kind === 'search') return new (await import('./search-surface.ts')).SearchSurface(offered);
  if (chosen.kind === 'code') return new (await import('./code-surface.ts')).CodeSurface(offered);
  return directSurface(offered);
}

/** Each tool is offered as it is. */
export function directSurface(offered: OfferedTools): Surface {
  const { forModel, renamed } = offered;
  return { forModel, renamed, read: (call) => ({ kind: 'server', call: serverCall(call, offered) }) };
}
