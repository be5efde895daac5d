import { relative } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Trial } from '../../../domain/trial.ts';
import { type FoundAgent, instructionsOf } from '../../agents/agent.ts';
import type { LaidHarness } from '../../agents/harness.ts';
import type { TrialFolders } from '../../tape/trial-paths.ts';
import { asFullDisk } from '../../workspace/full-disk.ts';
import { roomFolders } from '../../workspace/grader-room.ts';
import { packageFolderOf } from '../../workspace/installation.ts';
import type { TrialSystem } from '../../workspace/isolation.ts';
import { type PreparedWorkspace, prepareWorkspace } from '../../workspace/prepare-workspace.ts';
import { TrialDirectory } from '../../workspace/trial-directory.ts';
import type { WorkspaceGuidance, WorkspaceOverlay } from '../../workspace/workspace.ts';
import type { StampedTrace } from '../stamped-trace.ts';
import type { StopRequest, TargetContext, TurnControl } from '../target.ts';
import type { AgentSteps } from './agent-steps.ts';
import type { AgentWork } from './agent-work.ts';
import { layHarness } from './lay-harness.ts';
import type { TapedTools } from './taped-tools.ts';
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
  readonly prepared?: TurnControl['prepared'];
}

/** Files for the gates of a trial that works in its own system. */
interface DeferredGraders {
  /** To be called when no process of the agent is left. */
  reveal(): Promise<void>;
  /** Lets scripts and gates read the transcript and the events, as far as they are written. */
  revealResults(): void;
  /** Lets the verifier of a step read these folders, with empty logs; nothing of an earlier step is left. */
  revealTests(folders: readonly string[]): Promise<void>;
}

/** Everything that an agent's work in one trial depends on; built once and passed to every step. */
export interface AgentRun extends AgentRunRequest {
  readonly agent: FoundAgent;
  /** Undefined: the agent's default. */
  readonly model: string | undefined;
  /** Where the trial works until it is kept. */
  readonly room: TrialDirectory;
  readonly folder: TrialFolder;
  readonly workspace: PreparedWorkspace;
  /** Undefined where the variant has none. */
  readonly harness: LaidHarness | undefined;
  /** Absolute path of the program under test; undefined where there is none, and until it was found. */
  readonly program: string | undefined;
  /** Absolute paths of the further programs under test, once they were found. */
  readonly furtherPrograms: readonly string[];
  /** Where scripts, agent and gates run; undefined: on this machine, and until it was opened. */
  readonly system: TrialSystem | undefined;
  /** Files for the gates that the system gets when the agent has ended; undefined where there is no system. */
  readonly stagedGraders: DeferredGraders | undefined;
  /** The recording of the tool calls; undefined where there is none, and until it was opened. */
  readonly taped: TapedTools | undefined;
  /** The steps of the task, where it has some. */
  readonly steps: AgentSteps | undefined;
  /** With the program under test on PATH once it was found. */
  readonly env: TrialEnvironment;
  /** Something that a feature offers to agents with an open network only, in words. */
  readonly needsOpenNetwork?: string | undefined;
  /** Where the calls of its model are kept while it works; undefined where they are not. */
  readonly tapeFile?: string | undefined;
}

/** Folders of a run that differ between trials, by the names that recordings have for them. */
export function foldersOf({ workspace, folder, work, trial, agent }: AgentRun): TrialFolders {
  // Some agents name their own installation in their prompts.
  const installed = packageFolderOf(agent.program);
  return {
    work: workspace.directory,
    home: workspace.home,
    tmp: workspace.tmp,
    trial: folder.path,
    project: work.projectFolder,
    scenario: trial.scenario.directory,
    ...(installed !== undefined && { agent: installed }),
  };
}

/** The model that is requested from the provider whatever the agent requests. */
export function pinnedModelOf({ agent, model }: Pick<AgentRun, 'agent' | 'model'>): string | undefined {
  const { pinModel = false } = agent.settings.gateway || {};
  return pinModel === true ? model : pinModel || undefined;
}

/** Finds the agent and makes the work directory of the trial, outside the project. */
export async function openAgentRun(request: AgentRunRequest): Promise<AgentRun> {
  const { trial, work, context, trace } = request;
  const agent = await work.agents.find(trial.variant.agent ?? '');
  const keptAt = work.folderOf(trial);
  const projects = [work.projectFolder, work.artifactsFolder, trial.scenario.directory];
  const room = TrialDirectory.open({ env: context.env, projects, keptAt });
  return withArtifactsOnError({ room, trace }, () => prepareRun(request, agent, room, keptAt));
}

async function prepareRun(
  request: AgentRunRequest,
  agent: FoundAgent,
  room: TrialDirectory,
  keptAt: string,
): Promise<AgentRun> {
  const { trial, config, work, context, trace } = request;
  const folder = trialFolder(room.folder);
  const { binary, binaries = [], commandPattern } = config.tool ?? {};
  const further = binaries.length > 0 ? { binaries } : {};
  const tool = binary === undefined ? {} : { tool: { binary, ...further, commandPattern } };
  trace.emit({ type: 'workspace', folder: relative(work.artifactsFolder, keptAt), workedIn: folder.path, ...tool });
  const workspace = await prepareWorkspace({
    folder: folder.path,
    template: config.template,
    resultsFolder: work.artifactsFolder,
    guidance: guidanceOf(trial, config, agent),
    files: config.caseFiles?.[trial.case.caseId] ?? [],
    overlays: skillOverlays(trial, config, agent),
  });
  const harness = await layHarness(trial, config, agent, workspace.home);
  const env = trialEnvironment(trial, config, folder, workspace, roomFolders(room.graderFolder), context.env);
  const model = trial.variant.model ?? agent.settings.model;
  const notYet = {
    program: undefined,
    furtherPrograms: [],
    system: undefined,
    stagedGraders: undefined,
    taped: undefined,
    steps: undefined,
  };
  return { ...request, agent, model, room, folder, workspace, harness, env, ...notYet };
}

/** Takes a step of a trial; where it throws, the files of the trial are kept before the error goes on. */
export async function withArtifactsOnError<Result>(
  { room, trace }: Pick<AgentRun, 'room' | 'trace'>,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    // The trial starts from the beginning, and this attempt was none of its results.
    if (error instanceof AssayError && error.code === 'TRIAL_NOT_REPEATED') await room.discard();
    await room.settle().catch((reason: Error) => trace.emit({ type: 'notice', message: reason.message }));
    throw asFullDisk(error, room);
  }
}

/** Each skill goes where the agent looks for skills. */
function skillOverlays({ variant }: Trial, { skills }: TaskConfig, agent: FoundAgent): WorkspaceOverlay[] {
  const [place = ''] = instructionsOf(agent).skillFolders;
  const laidDown = variant.skills === undefined ? [] : (skills[variant.skills] ?? []);
  if (laidDown.length > 0 && place === '') {
    throw new AssayError('CONFIG_INVALID', `The agent "${agent.kind.name}" has no folder for skills.`);
  }
  return laidDown.map(({ name, folder }) => ({ source: folder, into: `${place}/${name}` }));
}

function guidanceOf({ variant }: Trial, { guidance }: TaskConfig, agent: FoundAgent): WorkspaceGuidance | undefined {
  const source = variant.guidance === undefined ? undefined : guidance[variant.guidance];
  return source === undefined ? undefined : { source, instructions: instructionsOf(agent) };
}
