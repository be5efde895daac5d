import type { Target, TargetContext } from '../target.ts';
import type { CalledTool } from './broken-call.ts';

/**
 * Opens a tool that is called directly, with the faults of its scenario in front of it; where its calls are recorded or
 * replayed, it is opened when it is needed.
 */
export async function openCalled(
  tool: CalledTool,
  context: TargetContext,
  openReal: () => Promise<Target>,
): Promise<Target> {
  const target = await openTapeable(tool.name, context, openReal);
  return {
    attempt: (trial, trace, stop, turns) =>
      trial.scenario.control
        ? import('./broken-call.ts').then(({ attemptBroken }) => attemptBroken(tool, target, trial, trace, stop, turns))
        : target.attempt(trial, trace, stop, turns),
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}

async function openTapeable(tool: string, context: TargetContext, openReal: () => Promise<Target>): Promise<Target> {
  const tapes = context.toolTapes?.();
  if (!tapes) return openReal();
  // Most runs have no recordings, and then none of this need be loaded.
  const { TapedTarget } = await import('./taped-target.ts');
  return new TapedTarget(tapes, tool, context, openReal);
}
