import { basename, join } from 'node:path';
import { type AgentRun, foldersOf } from './agent-run.ts';
import { TapedTools } from './taped-tools.ts';

/** Opens the recording of a trial; undefined where its tools are neither recorded nor replayed. */
export async function openTapedTools(run: AgentRun): Promise<TapedTools | undefined> {
  const { context, trial, workspace, folder, work, trace, config, system } = run;
  const tape = context.toolTapes?.()?.open(trial, foldersOf(run), trace.emit, work.untouched);
  if (!tape) return undefined;
  const taped = new TapedTools(tape, workspace);
  const { tool } = config;
  // Programs in containers are out of reach; calls of them are refused before the agent starts.
  if (tool && !system) {
    const names = [tool.binary, ...tool.binaries].map((binary) => basename(binary));
    await taped.standIn(names, join(folder.recorderFolder, 'scripts'), work.shims);
  }
  return taped;
}
