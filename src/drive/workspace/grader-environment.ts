import { delimiter, dirname, isAbsolute } from 'node:path';
import { cleanEnvironment, folderVariables, type TrialFolders } from './clean-environment.ts';
import { isInside } from './room-base.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Git reads these beside its files, and they win over those of a repository. Settings that have no harmless value are
 * noticed instead (`git-programs.ts`).
 */
const gitSettings: Readonly<Record<string, string>> = {
  'core.askPass': 'true',
  'core.editor': 'true',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.sshCommand': 'ssh',
  'sequence.editor': 'true',
  'safe.directory': '*',
};

/** Settings under which programs do not read configuration that the agent could have written. */
const ignoredConfiguration: Readonly<Record<string, string>> = {
  PYTHONNOUSERSITE: '1',
  npm_config_userconfig: '/dev/null',
  npm_config_script_shell: '/bin/sh',
  npm_config_node_options: '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: String(Object.keys(gitSettings).length),
  ...Object.fromEntries(
    Object.entries(gitSettings).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/** Settings that would also keep a command from running the work, so `runs: work` goes without them. */
const ignoredWork: Readonly<Record<string, string>> = {
  PYTHONSAFEPATH: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  npm_config_ignore_scripts: 'true',
};

/** The environment of graders before the scenario adds to it; nothing in it depends on the agent. */
export function graderEnvironment(env: Environment, folders: TrialFolders): Record<string, string> {
  return { ...cleanEnvironment(env, folders), ...ignoredConfiguration, ...ignoredWork };
}

/**
 * The environment of a command that runs the work, with its own folders in place of those of the other graders; a variable
 * that the scenario declares with another value stays.
 */
export function workEnvironment(
  env: Readonly<Record<string, string>>,
  shared: TrialFolders,
  own: TrialFolders,
): Record<string, string> {
  const [before, after] = [folderVariables(shared), folderVariables(own)];
  const kept = Object.entries(env).filter(([name, value]) => ignoredWork[name] !== value);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, before[name] === value ? (after[name] ?? value) : value]),
  );
}

/**
 * Absolute folders of PATH that do not lie in the trial's folder: a program there would be the agent's. Those in `own` are
 * Assay's, such as the programs that answer from a recording.
 */
export function safePath(path: string, trialFolder: string, own: readonly string[]): string {
  const isSafe = (folder: string): boolean =>
    !isInside(folder, trialFolder) || own.some((place) => isInside(folder, place));
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && isSafe(folder))
    .join(delimiter);
}

/** Folders of Python scripts that judge, which would not find the modules beside them otherwise. */
export function modulesOf(files: readonly string[]): Readonly<Record<string, string>> {
  const folders = [...new Set(files.filter((file) => file.endsWith('.py')).map((file) => dirname(file)))];
  return folders.length === 0 ? {} : { PYTHONPATH: folders.join(delimiter) };
}
