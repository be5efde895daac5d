import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const configName = 'evalstudio.config.json';

/** EvalStudio's config of a workspace, for the workspace itself and for its folders `projects/<id>`. */
export function evalStudioConfigFile(folder: string): string | undefined {
  const workspace = workspaceAbove(folder);
  const folders = [folder, ...(workspace === undefined ? [] : [workspace])];
  return folders.map((each) => join(each, configName)).find((file) => existsSync(file));
}

/** The workspace that a folder `projects/<id>` is in. */
function workspaceAbove(folder: string): string | undefined {
  const parent = dirname(resolve(folder));
  return basename(parent) === 'projects' ? dirname(parent) : undefined;
}
