import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StopRequest, TargetContext } from '../target.ts';
import { findProgram } from './find-program.ts';
import { checkHealth, type PhaseContext, runSetup } from './run-phase.ts';
import type { TaskConfig, ToolUnderTest } from './task-config.ts';
import { type TrialEnvironment, withProgram } from './trial-environment.ts';

interface Readying {
  readonly env: TrialEnvironment;
  readonly workspace: Workspace;
  readonly emit: EmitTrace;
  readonly stop: StopRequest;
  readonly context: TargetContext;
}

/** The program under test, where there is one, and the environment with it on PATH. */
interface Ready {
  readonly program: string | undefined;
  readonly env: TrialEnvironment;
}

/** Sets the work directory up and sees that the tool is there and works, before anything is spent. */
export async function makeReady(trial: Trial, config: TaskConfig, readying: Readying): Promise<Ready> {
  const { env, workspace, emit, stop } = readying;
  const { timeoutMs } = trial.scenario;
  const phase = (variables: Readonly<Record<string, string>>): PhaseContext => ({
    cwd: workspace.directory,
    env: variables,
    tag: trial.trialId,
    emit,
    stop,
  });
  const { tool } = config;
  // The setup may be what installs the tool, and it may need the tool.
  const early = tool && tryFind(tool, config, readying);
  await runSetup(config.setup, timeoutMs, phase(withProgram(env.before, early)));
  const program = early ?? (tool && find(tool, config, readying));
  const ready = { before: withProgram(env.before, program), after: withProgram(env.after, program) };
  if (tool?.healthCheck) await checkHealth(tool.healthCheck, timeoutMs, phase(ready.before));
  return { program, env: ready };
}

/** Where a tool is looked for. */
interface ToolPlaces {
  readonly env: Pick<TrialEnvironment, 'before'>;
  readonly workspace: Pick<Workspace, 'directory'>;
  readonly context: Pick<TargetContext, 'directory'>;
}

type SearchedTool = Pick<ToolUnderTest, 'binary'>;

function find({ binary }: SearchedTool, { template }: Pick<TaskConfig, 'template'>, places: ToolPlaces): string {
  const { env, workspace, context } = places;
  const folders = [workspace.directory, context.directory, ...(template === undefined ? [] : [template])];
  return findProgram(binary, { folders, path: env.before.PATH ?? '' });
}

/** The program under test where it is there already; undefined otherwise. */
export function tryFind(...where: Parameters<typeof find>): string | undefined {
  try {
    return find(...where);
  } catch {
    return undefined;
  }
}
