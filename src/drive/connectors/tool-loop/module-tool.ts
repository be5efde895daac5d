import { resolve } from 'node:path';
import { untilAborted } from '../../../shared/async.ts';
import { ModuleWorkerClient } from '../../targets/call/module-worker-client.ts';
import { SignalStop } from '../../targets/signal-stop.ts';
import type { TargetContext } from '../../targets/target.ts';
import { type OpenTools, offeredAs, type ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig } from './tool-loop-config.ts';

/** A function of a module as a tool, run in a thread where one that hangs or exits ends only its own call. */
export async function openModuleTool(
  module: string,
  config: ToolConfig,
  { directory, threads, signal }: TargetContext,
): Promise<OpenTools> {
  const client = new ModuleWorkerClient(threads, resolve(directory, module), config.export ?? 'default');
  await untilAborted(client.load(), signal).catch(async (error: unknown) => {
    await client[Symbol.asyncDispose]();
    throw error;
  });
  const run = async (input: unknown, callSignal: AbortSignal): Promise<ToolAnswer> => {
    using stop = new SignalStop(callSignal);
    const { result, thrown, unusable } = await client.call(input, stop);
    if (thrown !== undefined) return { error: JSON.parse(thrown) };
    if (unusable) return { error: { message: `The function returned ${unusable.reason}.` } };
    return { result: result === undefined ? null : JSON.parse(result) };
  };
  return { tools: [{ ...offeredAs(config), run }], [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}
