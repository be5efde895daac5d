import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { openProject, type Project } from '../compose/config.ts';
import { projectPaths } from '../compose/prepare-run.ts';
import { AssayError } from '../domain/errors.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { ToolContext } from './served-tool.ts';

/** The project, read anew for each call: its files change while the server runs. */
export function projectOf({ folder, env }: ToolContext): Promise<Project> {
  return openProject(folder, env);
}

/** The store of the project. */
export async function storeOf(context: ToolContext, project?: Project): Promise<Store> {
  const { config, folder } = project ?? (await projectOf(context));
  return openStore(context.storeUrl ?? context.env.ASSAY_STORE ?? config.store, folder);
}

/** Paths of a request as runs keep them. Files may say what is run, so none outside of the project is taken. */
export function pathsWithin(paths: readonly string[] | undefined, context: ToolContext, project: Project): string[] {
  const root = realpathSync(project.folder);
  for (const path of paths ?? []) {
    const absolute = resolve(context.folder, path);
    const real = existsSync(absolute) ? realpathSync(absolute) : absolute;
    if (real === root || real.startsWith(`${root}${sep}`)) continue;
    throw new AssayError('USAGE', `"${path}" lies outside of the project.`, {
      hint: `Name files or folders below ${root}, or none for all scenarios of the project.`,
    });
  }
  return projectPaths(paths ?? [], context.folder, project);
}
