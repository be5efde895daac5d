import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { instructionNames } from '../../drive/workspace/instruction-files.ts';
import { evalStudioConfigFile } from '../config/evalstudio-files.ts';
import type { Project } from '../config/project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Places that trials with agents must not read, beside the project's folder itself: the user's HOME, the repository
 * around the project, and files of the project that stay hidden where the project is the package of the tool.
 */
export function hiddenPlaces(project: Project, env: Env): string[] {
  const { folder, config, configFile } = project;
  const repository = repositoryAround(folder);
  const database = /^sqlite:(?:\/\/)?(.+)$/.exec(env.ASSAY_STORE ?? config.store)?.[1];
  return [
    homedir(),
    ...(env.HOME === undefined ? [] : [env.HOME]),
    ...(repository === undefined ? [] : [repository]),
    ...[folder, ...(repository === undefined ? [] : [repository])].flatMap(privateEntries),
    ...[configFile, evalStudioConfigFile(folder)].filter((file) => file !== undefined),
    ...(database === undefined ? [] : ['', '-wal', '-shm'].map((end) => resolve(folder, `${database}${end}`))),
    ...[config.output, config.fixtures].flatMap((path) => (path === undefined ? [] : [resolve(folder, path)])),
    ...config.scenarios.map((path) => resolve(folder, path)).filter((path) => path !== folder),
  ].filter((path) => existsSync(path));
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
