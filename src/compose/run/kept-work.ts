import { statSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { EvaluatedWorkspace } from '../../domain/gate.ts';
import type { Trial } from '../../domain/trial.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import type { GraderRoom } from '../../drive/workspace/grader-room.ts';
import { noIsolation } from '../../drive/workspace/isolation.ts';
import type { KeptWorkspace } from '../../engine/rescore.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { isRecord } from '../../shared/json.ts';
import type { Project } from '../config/project.ts';
import { isolationFinder } from './agent-isolation.ts';
import { graderPlaces, hiddenPlaces, visiblePlaces } from './hidden-places.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface WorkOfTrial {
  readonly trial: Trial;
  /** Absolute path of the trial's artifacts; undefined where there are none. */
  readonly folder: string | undefined;
  /** Absolute path of the folder while the trial ran, where it is known. */
  readonly workedIn: string | undefined;
  /** Whether its gates ran in a container, which is gone. */
  readonly wasContained: boolean;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly env: Env;
  readonly project?: Project | undefined;
}

/**
 * Opens the stored work directory of a trial. Gates and scripts run commands in it, so they
 * get a copy and the original stays as it is.
 */
export async function openKeptWork(work: WorkOfTrial): Promise<KeptWorkspace> {
  const { trial, folder, workedIn, evaluators } = work;
  const isLookedAt = trial.case.evaluators.some(({ type, config }) => {
    const evaluator = evaluators.get(type);
    const judgeLooks = isRecord(config) && config.look !== undefined;
    return (
      judgeLooks || evaluator?.looksAtWork || (evaluator?.needs.includes('workspace') && !evaluator.readsTraceOnly)
    );
  });
  if (!isLookedAt) return nothingKept(undefined);
  if (folder === undefined) return nothingKept(gone('The trial has no stored work directory.'));
  if (!statSync(join(folder, 'fixture'), { throwIfNoEntry: false })?.isDirectory()) {
    return nothingKept(gone(`The work directory of the trial no longer exists: ${join(folder, 'fixture')}.`));
  }
  const { copyTree } = await import('../../drive/workspace/copy-tree.ts');
  const copy = await realpath(await mkdtemp(join(tmpdir(), 'assay-rescore-')));
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    await copyTree(folder, copy, { isFresh: true, skipsFolder: isForeign, formerRoot: workedIn });
    return { workspace: await workspaceIn(copy, work), workspaceFault: undefined, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    const why = error instanceof Error ? error.message : String(error);
    return nothingKept(new AssayError('WORKSPACE_FAILED', `The stored work directory could not be copied: ${why}`));
  }
}

/** Of the folders beside the work directory, only HOME is part of the work. */
function isForeign(path: string): boolean {
  return path.lastIndexOf('/') === 0 && path !== '/fixture' && path !== '/home';
}

function nothingKept(workspaceFault: AssayError | undefined): KeptWorkspace {
  return { workspace: undefined, workspaceFault, [Symbol.asyncDispose]: async () => undefined };
}

function gone(message: string): AssayError {
  return new AssayError('WORKSPACE_FAILED', message, {
    hint: 'Run the scenario again: gates cannot be evaluated without the files.',
  });
}

/** Tool, environment and isolation are those of the trial, as far as today's scenario and machine have them. */
async function workspaceIn(copy: string, work: WorkOfTrial): Promise<EvaluatedWorkspace> {
  const { trialFolder } = await import('../../drive/targets/agent-task/trial-environment.ts');
  const { transcriptFile } = trialFolder(copy);
  const room = work.wasContained ? undefined : await roomFor(copy, work);
  return {
    directory: join(copy, 'fixture'),
    transcriptFile,
    runGrader: (command, request) => (room ? room.run(command, request) : containerIsGone()),
  };
}

async function roomFor(copy: string, { trial, env, project }: WorkOfTrial): Promise<GraderRoom> {
  const { trialEnvironment, trialFolder, withProgram } = await import(
    '../../drive/targets/agent-task/trial-environment.ts'
  );
  const { callerOf, findToolIfPresent } = await import('../../drive/targets/agent-task/prepare-tool.ts');
  const { graderRoom, copyState } = await import('../../drive/targets/agent-task/open-grader-room.ts');
  const { placesOf } = await import('../../drive/targets/agent-task/choose-visible-files.ts');
  const { roomFolders } = await import('../../drive/workspace/grader-room.ts');
  const folder = trialFolder(copy);
  const [directory, graderFolder] = [join(copy, 'fixture'), join(copy, 'grader')];
  const workspace = { directory, home: join(copy, 'home'), tmp: join(copy, 'tmp') };
  const { scenario } = trial;
  const config = scenario.target.type === 'cli-tool' ? (scenario.target.config as CliToolConfig) : undefined;
  const task = { env: config?.env ?? {}, postScripts: config?.postScripts ?? [] };
  const environment = trialEnvironment(trial, task, folder, workspace, roomFolders(graderFolder), env);
  const tool = config?.binary === undefined ? undefined : { binary: config.binary };
  const program = config && tool && findToolIfPresent(tool, config, { env: environment, workspace, context: scenario });
  const caller = program && callerOf(program, { folder: copy, graderFolder });
  const programs = program === undefined ? [] : [program];
  const find = project && (await isolationFinder(project, env));
  const isolation = find ? await find(config?.isolation ?? 'auto', config) : noIsolation;
  const foldersThatJudge = [scenario.directory, ...(project ? [project.folder] : [])];
  const room = graderRoom({
    trial,
    config: task,
    trialFolder: copy,
    directory,
    folder: graderFolder,
    rooms: await realpath(tmpdir()),
    env: withProgram(environment.after, caller),
    userEnv: env,
    places: project ? graderPlaces(project, env) : { readable: [], hidden: [] },
    agentView: {
      readable: [
        ...placesOf(programs, environment.after, foldersThatJudge),
        ...(project ? visiblePlaces(project, env) : []),
      ],
      hidden: project ? hiddenPlaces(project, env) : [],
    },
    isolation,
    network: config?.graderNetwork ?? ((config?.network ?? 'open') === 'open' ? 'open' : 'none'),
    programs,
  });
  await copyState(config?.state ?? [], workspace.home, roomFolders(graderFolder).home);
  return room;
}

async function containerIsGone(): Promise<never> {
  throw gone('The container of the trial is gone, and commands of its gates would give other results on this machine.');
}
