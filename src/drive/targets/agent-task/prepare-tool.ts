import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInSystem } from '../../workspace/bubblewrap-mounts.ts';
import { roomFolders } from '../../workspace/grader-room.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { TrialDirectory } from '../../workspace/trial-directory.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { TargetContext } from '../target.ts';
import type { AgentRun } from './agent-run.ts';
import { findProgram } from './find-program.ts';
import { checkHealth, runSetup } from './run-phase.ts';
import type { TaskConfig, ToolUnderTest } from './task-config.ts';
import { type TrialEnvironment, withProgram } from './trial-environment.ts';

/** Runs the setup, finds the tool under test and checks its health, before anything is spent. */
export async function prepareTool(run: AgentRun): Promise<AgentRun> {
  const { env, config } = run;
  const { tool } = config;
  const tools = tool ? [tool, ...tool.binaries.map((binary) => ({ binary }))] : [];
  // The setup may be what installs the tool, and it may need the tool.
  const installed = tools.map((one) => findToolIfPresent(one, config, run));
  await runSetup(run, installed.reduce(withProgram, env.before));
  const { system } = run;
  const found = tools.map(async (one, index) => {
    const mayBeAbsent = system !== undefined || run.taped?.tape.kind === 'replay' || isPlayed(one, run);
    const onHost = installed[index] ?? (mayBeAbsent ? findToolIfPresent(one, config, run) : findTool(one, config, run));
    if (onHost === undefined && !system) return absentProgram(one.binary, run);
    // A container has the system of its image, not that of this machine.
    return system && (onHost === undefined || isInSystem(onHost)) ? system.locate(one.binary) : (onHost ?? one.binary);
  });
  const [program, ...furtherPrograms] = await Promise.all(found);
  const programs = program === undefined ? [] : [program, ...furtherPrograms];
  const before = programs.reduce(withProgram, env.before);
  if (tool?.healthCheck) await checkHealth(run, before, tool.healthCheck);
  const after = programs.map((path) => callerOf(path, run.room)).reduce(withProgram, env.after);
  return { ...run, program, furtherPrograms, env: { before, after } };
}

/** A program that a model plays by the help text in the file need not be there yet. */
function isPlayed({ binary }: Pick<ToolUnderTest, 'binary'>, { trial }: AgentRun): boolean {
  const mocks = (trial.scenario.control?.cliMocks ?? []).filter(({ tool }) => tool === basename(binary));
  return (
    mocks.length > 0 && mocks.every(({ mock }) => !mock.real && (!mock.simulate || mock.simulate.help !== undefined))
  );
}

/** Graders call a program in the trial's folder through their own: the agent could put others beside it. */
export function callerOf(
  program: string,
  { folder, graderFolder }: Pick<TrialDirectory, 'folder' | 'graderFolder'>,
): string {
  return isInside(program, folder) ? join(roomFolders(graderFolder).bin, basename(program)) : program;
}

/** In place of a program that is not installed while a recording answers for it. */
async function absentProgram(binary: string, { folder, taped }: AgentRun): Promise<string> {
  taped?.miss(basename(binary));
  const path = join(folder.recorderFolder, 'absent', basename(binary));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "${basename(binary)}: not installed" >&2\nexit 127\n`, { mode: 0o755 });
  return path;
}

/** Where a tool is searched for. */
interface ToolPlaces {
  readonly env: Pick<TrialEnvironment, 'before'>;
  readonly workspace: Pick<Workspace, 'directory'>;
  readonly context: Pick<TargetContext, 'directory'>;
}

function findTool(
  { binary }: Pick<ToolUnderTest, 'binary'>,
  { template }: Pick<TaskConfig, 'template'>,
  { env, workspace, context }: ToolPlaces,
): string {
  const folders = [workspace.directory, context.directory, ...(template === undefined ? [] : [template])];
  return findProgram(binary, { folders, path: env.before.PATH ?? '', workDirectory: workspace.directory });
}

/** The program under test; undefined where it is not installed (yet). */
export function findToolIfPresent(...where: Parameters<typeof findTool>): string | undefined {
  try {
    return findTool(...where);
  } catch {
    return undefined;
  }
}
