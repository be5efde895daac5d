import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isEvalStudioProject } from './evalstudio-files.ts';

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
