import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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
export function isEvalStudioProject(folder: string): boolean {
  const workspace = workspaceAbove(folder);
  return workspace !== undefined && existsSync(join(workspace, evalStudioConfigName));
}

/** The workspace that a folder `projects/<id>` is in. */
function workspaceAbove(folder: string): string | undefined {
  const parent = dirname(resolve(folder));
  return basename(parent) === 'projects' ? dirname(parent) : undefined;
}
