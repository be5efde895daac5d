import { existsSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Problem } from '../../domain/problem.ts';
import { findConfig } from './find-config.ts';
import type { Project } from './project.ts';

/** Configs beside named scenarios that are not used, because the command was started in another project. */
export function otherConfigs(paths: readonly string[], { folder, configFile }: Project): Problem[] {
  const found = paths.map((path) => configOf(resolve(folder, path)));
  const others = new Set(found.filter((file) => file !== undefined && file !== configFile));
  return [...others].map((file = '') => ({
    at: { file: relative(folder, file), line: 1, column: 1 },
    message: 'this config of the scenarios is not used, because the command was started outside of its project',
    hint: `Run it there: cd ${relative(folder, dirname(file))}`,
  }));
}

function configOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return findConfig(statSync(path).isDirectory() ? path : dirname(path));
}
