import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import { projectPaths } from '../../compose/run/prepare-run.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { Invocation } from './command.ts';

/** The options of a command line, whose paths are relative to the current folder. */
export function givenOptions({ args, options: given, context }: Invocation, project: Project): RunOptions {
  const { cwd } = context;
  const options: RunOptions = given;
  const { scenario, targetBinary } = options;
  const file = scenarioFile(scenario, cwd, project);
  const paths = file === undefined ? args : [file];
  return {
    ...options,
    paths: paths.length === 0 ? undefined : projectPaths(paths, cwd, project),
    scenario: file === undefined ? scenario : undefined,
    targetBinary: targetBinary?.includes('/') ? resolve(cwd, targetBinary) : targetBinary,
  };
}

/** The file that `--scenario` names, in the current folder or among the fixtures; undefined when it is a name. */
export function scenarioFile(given: string | undefined, cwd: string, { folder, config }: Project): string | undefined {
  if (given === undefined) return undefined;
  const fixtures = config.fixtures === undefined ? [] : [join(folder, config.fixtures)];
  const places = [cwd, ...fixtures].flatMap((place) => ['', '.yaml', '.yml'].map((end) => resolve(place, given + end)));
  // A folder of that name is not meant: a scenario is one file.
  return places.find((place) => /\.(ya?ml|jsonc?|toml)$/i.test(place) && existsSync(place));
}
