import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Names of config files, in the order in which they are looked for. */
export const configNames = ['yaml', 'yml', 'json', 'jsonc', 'toml', 'ts', 'js', 'mjs'].map(
  (ending) => `assay.config.${ending}`,
);

/** The config file in a folder or above it, up to the root of the repository. */
export function findConfig(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const name = configNames.find((candidate) => existsSync(join(at, candidate)));
    if (name) return join(at, name);
    if (existsSync(join(at, '.git')) || isEvalStudioProject(at) || dirname(at) === at) return undefined;
  }
}

/** Whether opening the project of a folder executes its code: the config is a module, or names plug-ins. */
export function executesCodeToOpen(folder: string): boolean {
  const file = findConfig(folder);
  if (file === undefined) return false;
  return /\.[cm]?[jt]s$/.test(file) || /\bplugins\b/.test(readFileSync(file, 'utf8'));
}

/** EvalStudio's config of a workspace. */
export const evalStudioConfigName = 'evalstudio.config.json';

/** EvalStudio's config of a workspace, for the workspace itself and for its folders `projects/<id>`. */
export function evalStudioConfigFile(folder: string): string | undefined {
  const workspace = workspaceAbove(folder);
  const folders = [folder, ...(workspace === undefined ? [] : [workspace])];
  return folders.map((each) => join(each, evalStudioConfigName)).find((file) => existsSync(file));
}

/** The folder of a project of an EvalStudio workspace. */
export function evalStudioProjectFolder(workspace: string, id: string): string {
  return join(workspace, 'projects', id);
}

/** Whether a folder is `projects/<id>` of an EvalStudio workspace: a project with its own config and store. */
function isEvalStudioProject(folder: string): boolean {
  const workspace = workspaceAbove(folder);
  return workspace !== undefined && existsSync(join(workspace, evalStudioConfigName));
}

/** The workspace that a folder `projects/<id>` is in. */
function workspaceAbove(folder: string): string | undefined {
  const parent = dirname(resolve(folder));
  return basename(parent) === 'projects' ? dirname(parent) : undefined;
}
