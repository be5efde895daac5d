import { dirname, resolve } from 'node:path';
import { asAssayError } from '../domain/errors.ts';
import { type Problem, ProblemsError } from '../domain/problem.ts';
import type { Scenario } from '../domain/scenario.ts';
import { discoverFiles, type FoundFile } from './discover.ts';
import { scenarioFormats } from './formats/index.ts';
import type { ScenarioDefaults, ScenarioParts } from './scenario-format.ts';
import { readSource } from './source-file.ts';

export interface LoadRequest {
  /** Files and folders, relative to `folder`. */
  readonly paths: readonly string[];
  readonly folder: string;
  readonly parts: ScenarioParts;
  readonly defaults: ScenarioDefaults;
}

/** Everything that was found: nothing is passed over without being named. */
export interface LoadResult {
  readonly scenarios: readonly Scenario[];
  readonly problems: readonly Problem[];
  /** Data files in the given folders that are no scenarios. */
  readonly otherFiles: readonly string[];
}

/** Reads and checks every scenario file below the given paths; problems of all files are gathered. */
export async function loadScenarios(request: LoadRequest): Promise<LoadResult> {
  const scenarios: Scenario[] = [];
  const problems: Problem[] = [];
  const otherFiles: string[] = [];
  for (const found of await discoverFiles(request.paths, request.folder)) {
    const loaded = await loadFile(found, request);
    if (loaded === undefined) otherFiles.push(found.file);
    else if ('cases' in loaded) scenarios.push(loaded);
    else problems.push(...loaded);
  }
  return { scenarios, problems, otherFiles };
}

async function loadFile(
  { file, isNamed }: FoundFile,
  { folder, parts, defaults }: LoadRequest,
): Promise<Scenario | readonly Problem[] | undefined> {
  try {
    const source = await readSource(file, folder);
    const format = scenarioFormats.find((candidate) => candidate.recognises(source.value));
    if (format) return await format.read(source, { parts, defaults, directory: dirname(resolve(folder, file)) });
    if (!isNamed) return undefined;
    return [
      {
        at: source.locate([]),
        message: 'this is not a scenario',
        hint: 'A scenario has at least `name`, `call`, an input and criteria.',
      },
    ];
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems;
    const { message, hint } = asAssayError(error);
    return [{ at: { file, line: 1, column: 1 }, message, hint }];
  }
}
