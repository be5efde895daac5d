import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Problem } from '../domain/problem.ts';
import { readSource } from '../load/sources/source-file.ts';
import type { Project } from './config.ts';

/** The scripts of scripted agents that do not exist, at their places in the config file. */
export async function missingScripts({ config, configFile, folder }: Project): Promise<Problem[]> {
  if (configFile === undefined) return [];
  const missing = Object.entries(config.agents).flatMap(([name, { script }]) =>
    // A path with a variable is known only where the agent is used.
    script === undefined || script.includes('${') || existsSync(resolve(folder, script)) ? [] : [{ name, script }],
  );
  if (missing.length === 0) return [];
  const file = relative(folder, configFile);
  const source = /\.(ya?ml|jsonc?|toml)$/.test(configFile) ? await readSource(file, folder) : undefined;
  return missing.map(({ name, script }) => ({
    at: source?.locate(['agents', name, 'script']) ?? { file, line: 1, column: 1 },
    message: `the script \`${script}\` of the agent \`${name}\` does not exist`,
    hint: 'Correct the path; it is relative to the config file.',
  }));
}
