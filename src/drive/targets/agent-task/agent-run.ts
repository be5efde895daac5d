import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Trial } from '../../../domain/trial.ts';
import type { FoundAgent } from '../../agents/agent.ts';
import { type PreparedWorkspace, prepareWorkspace } from '../../workspace/prepare-workspace.ts';
import type { StampedTrace } from '../stamped-trace.ts';
import type { StopRequest, TargetContext } from '../target.ts';
import type { AgentWork } from './agent-work.ts';
import type { TaskConfig } from './task-config.ts';
import { type TrialEnvironment, type TrialFolder, trialEnvironment, trialFolder } from './trial-environment.ts';

/** The trial, its task, and the target's surroundings, from which an agent's run is built. */
export interface AgentRunRequest {
  readonly trial: Trial;
  readonly config: TaskConfig;
  readonly work: AgentWork;
  readonly context: TargetContext;
  readonly trace: StampedTrace;
  readonly stop: StopRequest;
}

/** Everything that an agent's work in one trial depends on; built once and passed to every step. */
export interface AgentRun extends AgentRunRequest {
  readonly agent: FoundAgent;
  /** Undefined: the agent's default. */
  readonly model: string | undefined;
  readonly folder: TrialFolder;
  readonly workspace: PreparedWorkspace;
  /** Absolute path of the program under test; undefined where there is none, and until it was found. */
  readonly program: string | undefined;
  /** With the program under test on PATH once it was found. */
  readonly env: TrialEnvironment;
}

/** Finds the agent and makes the work directory of the trial. */
export async function openAgentRun(request: AgentRunRequest): Promise<AgentRun> {
  const { trial, config, work, context, trace } = request;
  const agent = await work.agents.find(trial.variant.agent ?? '');
  const folder = trialFolder(work.folderOf(trial), work.artifactsFolder);
  await mkdir(dirname(folder.path), { recursive: true });
  const { binary, commandPattern } = config.tool ?? {};
  const tool = binary === undefined ? {} : { tool: { binary, commandPattern } };
  trace.emit({ type: 'workspace', folder: folder.name, ...tool });
  const workspace = await prepareWorkspace({
    folder: folder.path,
    template: config.template,
    overlays: overlaysOf(trial, config),
  });
  const env = trialEnvironment(trial, config, folder, workspace, context.env);
  const model = trial.variant.model ?? agent.settings.model;
  return { ...request, agent, model, folder, workspace, program: undefined, env };
}

function overlaysOf({ variant }: Trial, { guidance }: TaskConfig): { source: string; name: string }[] {
  const source = variant.guidance === undefined ? undefined : guidance[variant.guidance];
  return source === undefined ? [] : [{ source, name: 'AGENTS.md' }];
}
