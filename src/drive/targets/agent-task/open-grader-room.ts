import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Trial } from '../../../domain/trial.ts';
import { copyEntry, copyTree } from '../../workspace/copy-tree.ts';
import { graderEnvironment, modulesOf } from '../../workspace/grader-environment.ts';
import { GraderRoom, roomFolders } from '../../workspace/grader-room.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import type { Isolation, TrialSystem } from '../../workspace/isolation.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import type { GraderPlaces } from './agent-work.ts';
import { chooseVisibleFiles } from './choose-visible-files.ts';
import { namedFiles } from './graders.ts';
import { networkOf } from './limited-network.ts';
import type { TaskConfig } from './task-config.ts';

type Environment = Readonly<Record<string, string>>;

/** The parts of a room for graders, in a trial and when its work is evaluated again. */
interface GradedWork {
  readonly trial: Trial;
  readonly config: Pick<TaskConfig, 'postScripts'>;
  /** Absolute: the trial's folder, and the work directory in it. */
  readonly trialFolder: string;
  readonly directory: string;
  /** Absolute: for the room, and where rooms of other trials may lie. */
  readonly folder: string;
  readonly rooms: string;
  /** Of graders, as far as the trial adds to it; and of the user. */
  readonly env: Environment;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  /** Places that graders may read, and places of the user that they may not. */
  readonly places: GraderPlaces;
  /** The view of the agent. */
  readonly agentView: Pick<IsolatedFolders, 'readable' | 'hidden'>;
  readonly isolation: Isolation;
  readonly system?: TrialSystem | undefined;
  readonly network: 'open' | 'none';
  readonly programs: readonly string[];
  /** Further folders that graders write, such as those of a recording. */
  readonly writable?: readonly string[];
}

/** Makes the room in which a trial's work is graded; no process of the agent may be left. */
export async function openGraderRoom(run: AgentRun): Promise<GraderRoom> {
  const { trial, config, work, workspace, folder, room, env, context, system, program, furtherPrograms, taped } = run;
  const isolation = await work.findIsolation(config.isolation, config);
  const ofAgent = networkOf(run, isolation);
  const network = config.graderNetwork ?? (ofAgent === 'open' ? 'open' : 'none');
  noteLimits(run, isolation, network);
  const opened = graderRoom({
    trial,
    config,
    trialFolder: folder.path,
    directory: workspace.directory,
    folder: room.graderFolder,
    rooms: dirname(dirname(room.folder)),
    env: taped?.forScripts(env.after) ?? env.after,
    userEnv: context.env,
    places: work.graderPlaces,
    agentView: chooseVisibleFiles(run, undefined),
    isolation,
    system,
    network,
    programs: program === undefined ? [] : [program, ...furtherPrograms],
    writable: taped ? [join(folder.recorderFolder, 'scripts')] : [],
  });
  await copyState(config.state ?? [], workspace.home, roomFolders(room.graderFolder).home);
  return opened;
}

/** Gives graders the data that the tool keeps in HOME. Links are left out: they could lead to anything. */
export async function copyState(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const path of paths.map((written) => written.replace(/^~\//, ''))) {
    const source = resolve(from, path);
    if (source === from || !isInside(source, from)) {
      throw new AssayError('CONFIG_INVALID', `\`target.state\` lists ${path}, which is not in HOME.`);
    }
    const stats = lstatSync(source, { throwIfNoEntry: false });
    // A folder on the way to it may be a link as well.
    if (!stats || !isInside(realpathSync(dirname(source)), realpathSync(from))) continue;
    const copy = resolve(to, path);
    if (stats.isDirectory() || stats.isFile()) mkdirSync(dirname(copy), { recursive: true });
    if (stats.isDirectory()) await copyTree(source, copy, { skipsFolder: () => false, skipsLinks: true });
    else if (stats.isFile()) await copyEntry(source, copy);
  }
}

export function graderRoom(work: GradedWork): GraderRoom {
  const {
    trial,
    config,
    trialFolder,
    directory,
    folder,
    env,
    userEnv,
    places,
    agentView,
    programs,
    writable = [],
  } = work;
  const named = namedFiles(trial, config, directory, env).filter((file) => !isInside(file, trialFolder));
  const files = named.map((file) => (mayShow(dirname(file), trialFolder) ? dirname(file) : file));
  // The agent had these, and what it left there must not reach a grader.
  const ofAgent = ['home', 'tmp'].map((name) => join(trialFolder, name));
  const seenByBoth = (agentView.readable ?? []).filter((path) => !ofAgent.some((place) => isInside(path, place)));
  const readable = [...seenByBoth, ...files];
  const hidden = [...places.hidden, work.rooms, ...ofAgent];
  const hiddenFromWork = (agentView.hidden ?? []).filter((path) => !named.includes(path));
  const modules = modulesOf(named);
  const { results } = roomFolders(folder);
  return new GraderRoom({
    ...work,
    scenarioFolder: trial.scenario.directory,
    // Graders are the author's, and may use what the scenario does not declare.
    view: {
      readable: [...readable, ...places.readable, trial.scenario.directory],
      hidden,
      writable: [...writable, results],
      seesMachine: true,
    },
    viewOfWork: { readable, hidden: [...hiddenFromWork, ...ofAgent], writable },
    // The system of a trial has the trial's folder, and nothing of the room.
    env: { ...modules, ...env, ...(!work.system && { LLM_TOOL_TEST_RESULTS_DIR: results }) },
    envBeside: { ...modules, ...graderEnvironment(userEnv, roomFolders(folder)) },
    programsOfWork: programs.filter((program) => isInside(program, trialFolder)),
  });
}

/** Whether a folder may be shown as a whole because a grader lies in it. */
function mayShow(folder: string, trialFolder: string): boolean {
  return ![homedir(), tmpdir(), '/tmp', '/var/tmp', '/'].includes(folder) && !isInside(trialFolder, folder);
}

/** Says what the isolation cannot keep from the graders of a trial. */
function noteLimits(
  { trace, trial, config, work }: AgentRun,
  { tier, wrapAlone, openSystem }: Isolation,
  network: string,
): void {
  const commands = trial.case.evaluators.some(
    ({ config: given }) => typeof (given as { command?: unknown })?.command === 'string',
  );
  if ((!commands && config.postScripts.length === 0) || work.untouched) return;
  const note = (message: string) => trace.emit({ type: 'notice', message });
  if (tier === 'none')
    note('Isolation "none" does not keep files and processes of the agent outside the work directory from graders.');
  if (tier === 'process')
    note('Isolation "process" does not keep files of the agent outside the work directory from graders.');
  if (network === 'none' && !wrapAlone && !openSystem)
    note(`Isolation "${tier}" cannot take the network from graders.`);
}
