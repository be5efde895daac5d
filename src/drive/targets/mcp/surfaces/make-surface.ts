import type { ToolDefinition } from '../../../mcp/session.ts';
import type { ToolRewrites } from '../../../mcp/tool-rewrites.ts';
import { assertSubsetFits, type ChosenSurface } from '../../../mcp/tool-surface.ts';
import { OfferedTools } from '../workflow/offered-tools.ts';
import { DirectSurface } from './direct-surface.ts';
import type { Surface } from './surface.ts';

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
  return new DirectSurface(offered);
}
