import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { type LoadResult, loadScenarios } from '../../load/scenarios/load.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { cliToolDefaults, conversationDefaults } from '../config/format-defaults.ts';
import { otherConfigs } from '../config/other-configs.ts';
import type { Project } from '../config/project.ts';

/** Problems of the scripts of scripted agents; of one that does not exist, at its place in the config file. */
async function scriptProblems({ config, configFile, folder }: Project): Promise<Problem[]> {
  const scripts = Object.entries(config.agents).flatMap(([name, { script }]) =>
    // A path with a variable is checked when the agent is used.
    script === undefined || script.includes('${') ? [] : [{ name, script, path: resolve(folder, script) }],
  );
  const missing = scripts.filter(({ path }) => !existsSync(path));
  const present = scripts.filter(({ path }) => existsSync(path));
  const problems = await Promise.all(present.map(({ path }) => problemsOfScript(path, folder)));
  if (missing.length === 0 || configFile === undefined) return problems.flat();
  const file = relative(folder, configFile);
  const source = /\.(ya?ml|jsonc?|toml)$/.test(configFile) ? await readSource(file, folder) : undefined;
  const ofConfig = missing.map(({ name, script }) => ({
    at: source?.locate(['agents', name, 'script']) ?? { file, line: 1, column: 1 },
    message: `the script \`${script}\` of the agent "${name}" does not exist`,
    hint: 'Fix the path; it is relative to the config file.',
  }));
  return [...ofConfig, ...problems.flat()];
}

async function problemsOfScript(path: string, folder: string): Promise<Problem[]> {
  const { loadAgentScript } = await import('../../load/scripts.ts');
  try {
    await loadAgentScript(path);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return error.problems.map((problem) => ({ ...problem, at: { ...problem.at, file: relative(folder, path) } }));
  }
}

/** Options for reading scenarios, beside where they are. */
interface ReadOptions {
  /** Beside the files below the paths: texts that may not stand in a file yet. */
  readonly sources?: readonly ParsedSource[] | undefined;
  /** False where reading must have no effects. */
  readonly executesModules?: boolean | undefined;
  /** Beside the defaults of the project. */
  readonly defaults?: Partial<Parameters<typeof loadScenarios>[0]['defaults']>;
}

/** Reads the scenarios below paths of a project as a run would, and returns their problems instead of throwing. */
export async function checkScenarios(
  paths: readonly string[],
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
  { defaults, ...options }: ReadOptions = {},
): Promise<LoadResult> {
  const loaded = await loadScenarios({
    paths,
    ...options,
    folder: project.folder,
    exclude: project.config.exclude,
    configFile: project.configFile,
    parts: project.parts,
    defaults: {
      timeoutSecs: project.config.timeoutSecs,
      conversations: conversationDefaults(project, {}),
      cliTools: cliToolDefaults(project, {}, env),
      mcpServers: { env },
      ...defaults,
    },
  });
  const warnings = [...otherConfigs(paths, project), ...loaded.warnings];
  return { ...loaded, warnings, problems: [...(await scriptProblems(project)), ...loaded.problems] };
}
