import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { harnessFiles } from '../../../domain/harness.ts';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { writtenLogs } from '../../mcp/proxy/log-keeper.ts';
import { isInSystem } from '../../workspace/bubblewrap-mounts.ts';
import { besides, installationOf, packageFolderOf } from '../../workspace/installation.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { namedFiles } from './graders.ts';
import type { ToolRecording } from './tool-recording.ts';

/** The folders of a trial, what it must be able to read, and what is hidden from it where the isolation can hide. */
export function chooseVisibleFiles(run: AgentRun, tool: ToolRecording | undefined): IsolatedFolders {
  const { workspace, folder, config } = run;
  const servers = Object.keys(config.mcpServers).length > 0 ? [join(folder.recorderFolder, 'mcp')] : [];
  const logs = servers.map((path) => join(path, writtenLogs)).filter((path) => existsSync(path));
  return {
    directory: workspace.directory,
    home: workspace.home,
    tmp: workspace.tmp,
    writable: [...logs, ...(tool?.recorder.writable ?? [])],
    covered: tool?.covered ?? [],
    readable: [...neededBy(run), ...servers],
    hidden: [...hiddenFrom(run)],
  };
}

/** The project, the files that judge the trial, other trials, and files of the user. */
function* hiddenFrom({ work, trial, config, agent, room, workspace, env }: AgentRun): Generator<string> {
  const { scenario } = trial;
  yield* work.hidden;
  yield work.projectFolder;
  yield work.artifactsFolder;
  // Rooms of other trials.
  yield dirname(dirname(room.folder));
  yield scenario.directory;
  yield join(scenario.directory, basename(scenario.file));
  yield* scenario.files ?? [];
  if (config.template !== undefined) yield config.template;
  yield* Object.values(config.guidance);
  yield* Object.values(config.harness ?? {}).flatMap(harnessFiles);
  if (agent.settings.script) yield agent.settings.script.path;
  for (const file of namedFiles(trial, config, workspace.directory, env.after)) {
    // A gate may name an interpreter by its path, which the agent needs as well.
    if (!isInside(file, room.folder) && !isInSystem(file)) yield file;
  }
}

/** Files and folders that the tool, the agent and the MCP servers need to run, wherever they lie. */
function* neededBy({
  work,
  trial,
  program,
  furtherPrograms,
  agent,
  config,
  env,
  context,
}: AgentRun): Generator<string> {
  const path = env.before.PATH ?? '';
  const programs = [
    ...(program === undefined ? [] : [program, ...furtherPrograms]),
    ...(agent.settings.command === undefined ? [agent.program] : filesInCommand(agent.settings.command, path)),
    ...agent.settings.args.filter(isAbsolute),
    ...programsOfServers(config, work.program, path),
  ];
  const given = { ...env.before, ...agentEnvironment(agent.kind, agent.settings, context.env) };
  yield* placesOf(programs, given, [work.projectFolder, trial.scenario.directory]);
  yield* work.visible;
}

/**
 * Installations of programs and of their interpreters, folders on PATH, and paths that variables name. A program that merely
 * lies beside what judges does not open that folder.
 */
export function* placesOf(
  programs: readonly string[],
  env: Readonly<Record<string, string>>,
  foldersThatJudge: readonly string[],
): Generator<string> {
  const holdsGraders = (place: string): boolean => foldersThatJudge.some((folder) => isInside(folder, place));
  for (const file of programs.flatMap((program) => [program, ...interpreterOf(program)])) {
    const ofPackage = packageFolderOf(file);
    yield* installed(file).filter((place) => place === file || place === ofPackage || !holdsGraders(place));
  }
  const { PATH = '', ...named } = env;
  const onPath = PATH.split(delimiter).filter(isAbsolute).flatMap(besides);
  yield* onPath.filter((place) => !holdsGraders(place));
  for (const value of Object.values(named)) yield* value.split(delimiter).filter(isPathOfUse);
}

function installed(path: string): string[] {
  return existsSync(path) && statSync(path).isDirectory() ? [path] : installationOf(path);
}

function isPathOfUse(path: string): boolean {
  return isAbsolute(path) && resolve(path) !== '/' && resolve(path) !== homedir() && existsSync(path);
}

/** Programs, arguments and folders of MCP servers, and this program, which stands in front of them. */
function programsOfServers({ mcpServers }: AgentRun['config'], assay: readonly string[], path: string): string[] {
  const servers = Object.values(mcpServers).map(({ definition }) => definition);
  if (servers.length === 0) return [];
  const started = servers.flatMap((definition) => (definition.transport === 'stdio' ? [definition] : []));
  return [
    ...assay,
    ...started.flatMap(({ cwd }) => cwd ?? []),
    ...started.flatMap(({ command }) => onPath(command, path)),
    ...started.flatMap(({ args = [], cwd }) =>
      args.map((argument) => (cwd === undefined ? argument : resolve(cwd, argument))).filter(isPathOfUse),
    ),
  ];
}

/** Programs and files that a shell command names. */
export function filesInCommand(command: string, path: string): string[] {
  const words = command.match(/'[^']*'|"[^"]*"|[^\s;|&()<>]+/g) ?? [];
  return words.map((word) => word.replace(/^['"]|['"]$/g, '')).flatMap((word) => onPath(word, path));
}

function onPath(name: string, path: string): string[] {
  if (isAbsolute(name)) return existsSync(name) ? [name] : [];
  if (name.includes('/')) return [];
  const places = path.split(delimiter).filter(isAbsolute);
  const found = places.map((folder) => join(folder, name)).find((file) => existsSync(file));
  return found === undefined ? [] : [found];
}

const longestFirstLine = 256;

/** The program that the first line of a script names; no other line of it says what an agent may see. */
function interpreterOf(file: string): string[] {
  const [, interpreter] = /^#!\s*(\/\S+)/.exec(startOf(file)) ?? [];
  return interpreter !== undefined && isPathOfUse(interpreter) ? [interpreter] : [];
}

function startOf(file: string): string {
  let opened: number | undefined;
  try {
    opened = openSync(file, 'r');
    const bytes = Buffer.alloc(longestFirstLine);
    return bytes.toString('latin1', 0, readSync(opened, bytes, 0, longestFirstLine, 0));
  } catch {
    return '';
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
