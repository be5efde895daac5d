import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { AssayError } from '../domain/errors.ts';
import type { Project } from './config.ts';
import { projectPaths } from './prepare-run.ts';

/** Paths of a request as runs keep them. Files may say what is run, so none outside of the project is taken. */
export function pathsWithin(paths: readonly string[] | undefined, cwd: string, project: Project): string[] {
  const root = realpathSync(project.folder);
  for (const path of paths ?? []) {
    const absolute = resolve(cwd, path);
    const real = existsSync(absolute) ? realpathSync(absolute) : absolute;
    if (real === root || real.startsWith(`${root}${sep}`)) continue;
    throw new AssayError('USAGE', `"${path}" lies outside of the project.`, {
      hint: `Name files or folders below ${root}, or none for all scenarios of the project.`,
    });
  }
  return projectPaths(paths ?? [], cwd, project);
}
