import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { GraderPlaces } from '../../drive/targets/agent-task/agent-work.ts';
import { instructionNames } from '../../drive/workspace/instruction-files.ts';
import { evalStudioConfigFile } from '../config/find-config.ts';
import { artifactsFolder, type Project } from '../config/project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Places that trials with agents must not read, beside the project's folder itself: the user's HOME, the repository
 * around the project, and files of the project that stay hidden where the project is the package of the tool.
 */
export function hiddenPlaces(project: Project, env: Env): string[] {
  const { folder, config, configFile } = project;
  const repository = repositoryAround(folder);
  return [
    homedir(),
    ...(env.HOME === undefined ? [] : [env.HOME]),
    ...(repository === undefined ? [] : [repository]),
    ...[folder, ...(repository === undefined ? [] : [repository])].flatMap(privateEntries),
    ...[configFile, evalStudioConfigFile(folder)].filter((file) => file !== undefined),
    ...databaseFiles(folder, config.store, env),
    ...[config.output, config.fixtures].flatMap((path) => (path === undefined ? [] : [resolve(folder, path)])),
    ...config.scenarios.map((path) => resolve(folder, path)).filter((path) => path !== folder),
  ].filter((path) => existsSync(path));
}

/** Places that the config makes readable. */
export function visiblePlaces({ folder, config }: Project, env: Env): string[] {
  return config.visible.map((path) => resolve(folder, path.replace(/^~(?=\/|$)/, env.HOME ?? '~')));
}

/** Graders read the project and its repository, but neither its results nor the HOME of the user. */
export function graderPlaces(project: Project, env: Env): GraderPlaces {
  const { folder, config } = project;
  const repository = repositoryAround(folder);
  return {
    readable: [folder, ...(repository === undefined ? [] : [repository])],
    hidden: [
      homedir(),
      ...(env.HOME === undefined ? [] : [env.HOME]),
      join(folder, '.assay'),
      artifactsFolder(project),
      ...databaseFiles(folder, config.store, env),
      ...(config.output === undefined ? [] : [resolve(folder, config.output)]),
    ].filter((path) => existsSync(path)),
  };
}

function databaseFiles(folder: string, store: string, env: Env): string[] {
  const database = /^sqlite:(?:\/\/)?(.+)$/.exec(env.ASSAY_STORE ?? store)?.[1];
  return database === undefined ? [] : ['', '-wal', '-shm'].map((end) => resolve(folder, `${database}${end}`));
}

/** Entries of a folder that no program under test needs: results, history, secrets and instructions for agents. */
function privateEntries(folder: string): string[] {
  const environments = entriesOf(folder).filter((name) => /^\.env(?:\.|$)/.test(name));
  return ['.assay', '.git', ...environments, ...instructionNames].map((name) => join(folder, name));
}

function repositoryAround(folder: string): string | undefined {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
  }
  return undefined;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
