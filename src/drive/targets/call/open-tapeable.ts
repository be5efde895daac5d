import type { Target, TargetContext } from '../target.ts';

/** Opens a tool that is called directly; where its calls are recorded or replayed, it is opened when it is needed. */
export async function openTapeable(
  tool: string,
  context: TargetContext,
  openReal: () => Promise<Target>,
): Promise<Target> {
  const tapes = context.toolTapes?.();
  if (!tapes) return openReal();
  // Most runs have no recordings, and then none of this need be loaded.
  const { TapedTarget } = await import('./taped-target.ts');
  return new TapedTarget(tapes, tool, context, openReal);
}
