import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { besides, installationOf } from '../../workspace/installation.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { namedFiles } from './graders.ts';
import type { ToolRecording } from './tool-recording.ts';

/** The folders of a trial, what it must be able to read, and what is hidden from it where the isolation can hide. */
export function chooseVisibleFiles(run: AgentRun, tool: ToolRecording | undefined): IsolatedFolders {
  const { workspace, folder } = run;
  return {
    directory: workspace.directory,
    home: workspace.home,
    tmp: workspace.tmp,
    writable: [join(folder.recorderFolder, 'mcp'), ...(tool?.recorder.writable ?? [])],
    covered: tool?.covered ?? [],
    readable: [...neededBy(run)],
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
  if (agent.settings.script) yield agent.settings.script.path;
  for (const file of namedFiles(trial, config, workspace.directory, env.after)) {
    if (!isInside(file, room.folder)) yield file;
  }
}

/** Files and folders that the tool, the agent and the MCP servers need to run, wherever they lie. */
function* neededBy({ work, program, furtherPrograms, agent, config, env, context }: AgentRun): Generator<string> {
  const path = env.before.PATH ?? '';
  const programs = [
    ...(program === undefined ? [] : [program, ...furtherPrograms]),
    ...(agent.settings.command === undefined ? [agent.program] : filesInCommand(agent.settings.command, path)),
    ...agent.settings.args.filter(isAbsolute),
    ...programsOfServers(config, work.program, path),
  ];
  for (const file of programs) {
    yield* installed(file);
    for (const named of pathsInScript(file)) yield* installed(named);
  }
  for (const folder of path.split(delimiter).filter(isAbsolute)) yield* besides(folder);
  const given = { ...env.before, ...agentEnvironment(agent.kind, agent.settings, context.env) };
  for (const value of Object.values(given)) yield* value.split(delimiter).filter(isPathOfUse);
  yield* work.visible;
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

const longestScriptBytes = 65_536;

/** Paths that a small script names, such as its interpreter or the program that it starts. */
function pathsInScript(file: string): string[] {
  const text = scriptText(file);
  return (text.match(/(?<![\w.$}])\/[\w@%+=,./-]+/g) ?? []).filter(isPathOfUse);
}

function scriptText(file: string): string {
  let opened: number | undefined;
  try {
    opened = openSync(file, 'r');
    const { size } = fstatSync(opened);
    if (size > longestScriptBytes) return firstLine(opened);
    const bytes = Buffer.alloc(size);
    readSync(opened, bytes, 0, size, 0);
    return bytes.subarray(0, 2).toString() === '#!' ? bytes.toString('utf8') : '';
  } catch {
    return '';
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function firstLine(opened: number): string {
  const bytes = Buffer.alloc(256);
  const line =
    bytes
      .subarray(0, readSync(opened, bytes, 0, 256, 0))
      .toString('latin1')
      .split('\n', 1)[0] ?? '';
  return line.startsWith('#!') ? line : '';
}
