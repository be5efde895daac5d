import { openUserModule } from '../../targets/call/user-module.ts';
import { SignalStop } from '../../targets/signal-stop.ts';
import type { TargetContext } from '../../targets/target.ts';
import { type OpenTools, offeredAs, type ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** A function of a module as a tool, run in a thread where one that hangs or exits ends only its own call. */
export async function openModuleTool(module: string, config: ToolConfig, context: TargetContext): Promise<OpenTools> {
  const client = await openUserModule({ module, export: config.export ?? 'default' }, context);
  const run = async (input: unknown, callSignal: AbortSignal): Promise<ToolAnswer> => {
    using stop = new SignalStop(callSignal);
    const { result, thrown, unusable } = await client.call(input, stop);
    if (thrown !== undefined) return { error: JSON.parse(thrown) };
    if (unusable) return { error: { message: `The function returned ${unusable.reason}.` } };
    return { result: result === undefined ? null : JSON.parse(result) };
  };
  return { tools: [{ ...offeredAs(config), run }], [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}
