import { relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { resolveModel } from '../../drive/models/resolve-model.ts';
import type { DataPath } from '../../load/sources/parsed-source.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { isRecord } from '../../shared/json.ts';
import type { Project } from '../config/project.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { modelsOf } from './cost-limits.ts';

/** Models of judges, personas, workflows and tools that no provider has: each is a warning at the place that names it. */
export async function checkModels(
  scenarios: readonly Scenario[],
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Problem[]> {
  await using judging = new ProjectJudging(project, {}, env);
  const warnings = new Map<string, Problem>();
  for (const scenario of scenarios) {
    for (const name of await modelsOf(scenario, project, judging)) {
      const reason = whyUnknown(name, project);
      if (!reason) continue;
      const at = await placeOf(name, scenario, project);
      warnings.set(`${at.file} ${name}`, { at, message: reason.message, ...(reason.hint && { hint: reason.hint }) });
    }
  }
  return [...warnings.values()];
}

function whyUnknown(name: string, { config }: Project): AssayError | undefined {
  if (/\$\{|\{\{/.test(name)) return undefined;
  try {
    resolveModel(name, config.models);
    return undefined;
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
}

/** The first text in the scenario, or else in the config, that is the name; the file of the scenario where code or a variable has it. */
async function placeOf(name: string, { file }: Scenario, { configFile, folder }: Project): Promise<Problem['at']> {
  const files = [file, ...(configFile === undefined ? [] : [relative(folder, configFile)])];
  for (const each of files.filter((path) => /\.(ya?ml|jsonc?|toml)$/.test(path))) {
    const source = await readSource(each, folder).catch(() => undefined);
    const path = source && pathTo(name, source.value);
    if (source && path) return source.locate(path);
  }
  return { file, line: 1, column: 1 };
}

function pathTo(name: string, value: unknown): DataPath | undefined {
  if (value === name) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];
  for (const [key, item] of entries) {
    const rest = pathTo(name, item);
    if (rest) return [key, ...rest];
  }
  return undefined;
}
