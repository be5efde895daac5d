import { delimiter, dirname, join } from 'node:path';
import type { Trial } from '../../../domain/trial.ts';
import { cleanEnvironment, type TrialFolders } from '../../workspace/clean-environment.ts';
import { graderEnvironment } from '../../workspace/grader-environment.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { expandSettings } from '../call/expand-settings.ts';
import type { TaskConfig } from './task-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the agent, the scripts and the gates of a trial; they inherit nothing else. */
export interface TrialEnvironment {
  /** Of the setup and of the agent. */
  readonly before: Readonly<Record<string, string>>;
  /** Of graders: with their own folders, and with what can be looked at when the agent has ended. */
  readonly after: Readonly<Record<string, string>>;
}

/** The clean environment of a trial with what the scenario adds to it. */
export function trialEnvironment(
  trial: Trial,
  config: Pick<TaskConfig, 'env'>,
  folder: TrialFolder,
  workspace: Pick<Workspace, 'directory' | 'home' | 'tmp'>,
  ofGraders: TrialFolders,
  env: Environment,
): TrialEnvironment {
  const variables = {
    // A Git repository above the trial is not the agent's.
    GIT_CEILING_DIRECTORIES: folder.path,
    LLM_TOOL_TEST_FIXTURE_DIR: workspace.directory,
    LLM_TOOL_TEST_RESULTS_DIR: folder.path,
    LLM_TOOL_TEST_SCENARIO: trial.scenario.name,
    LLM_TOOL_TEST_AGENT: trial.variant.agent ?? '',
    LLM_TOOL_TEST_MODEL: trial.variant.model ?? 'default',
  };
  const left = {
    LLM_TOOL_TEST_TRANSCRIPT: folder.transcriptFile,
    LLM_TOOL_TEST_EVENTS: folder.eventsFile,
    ASSAY_SCENARIO_FOLDER: trial.scenario.directory,
  };
  const own = expandSettings('environment variable', config.env, { ...env, ...variables, ...left });
  return {
    before: { ...cleanEnvironment(env, workspace), ...variables, ...own },
    after: { ...graderEnvironment(env, ofGraders), ...variables, ...left, ...own },
  };
}

/** The same environment with folders before all others on PATH. */
export function withPath<Env extends Readonly<Record<string, string>>>(env: Env, folders: readonly string[]): Env {
  const path = [...folders, ...(env.PATH ? [env.PATH] : [])].join(delimiter);
  return { ...env, PATH: path };
}

/** With the program under test on PATH, wherever it lies; as it is where there is none. */
export function withProgram<Env extends Readonly<Record<string, string>>>(env: Env, program: string | undefined): Env {
  if (program === undefined) return env;
  const folder = dirname(program);
  return env.PATH?.split(delimiter).includes(folder) ? env : withPath(env, [folder]);
}

/** Where everything of one trial lies while it runs. */
export interface TrialFolder {
  /** Absolute. */
  readonly path: string;
  readonly transcriptFile: string;
  readonly eventsFile: string;
  readonly recorderFolder: string;
  /** For logs that the system of the trial leaves, where it leaves any. */
  readonly logsFolder: string;
}

/** The folder of a trial by its absolute path. */
export function trialFolder(path: string): TrialFolder {
  return {
    path,
    transcriptFile: join(path, 'transcript.raw.txt'),
    eventsFile: join(path, 'events.jsonl'),
    recorderFolder: join(path, 'recorder'),
    logsFolder: join(path, 'logs'),
  };
}
