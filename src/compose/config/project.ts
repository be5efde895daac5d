import { existsSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import type * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { DataPath, ParsedSource } from '../../load/sources/parsed-source.ts';
import { problemsOf } from '../../load/sources/schema-problems.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { isRecord } from '../../shared/json.ts';
import { suggestion } from '../../shared/suggest.ts';
import { expandVariables, unsetVariables, variablesIn } from '../../shared/variables.ts';
import { type Parts, partsWith, registeredParts } from '../parts.ts';
import type { configSchema } from './config-schema.ts';
import { defaultConfig } from './default-config.ts';
import { configNames, evalStudioConfigFile, findConfig } from './find-config.ts';

/** The project's config with all defaults filled in. */
export type Config = z.output<typeof configSchema>;

/** A config and the folder that its paths are relative to. */
export interface Project {
  readonly config: Config;
  readonly folder: string;
  /** Undefined when the project has no config file. */
  readonly configFile: string | undefined;
  readonly parts: Parts;
  /** Variables that must be set for the config to be read. */
  readonly variables?: readonly string[];
  /** Warnings about the config file. */
  readonly warnings?: readonly Problem[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Config file of llm-tool-test, which is read too. */
export const olderConfigName = 'llm-tool-test-config.toml';

/** Finds the config in the folder or above it, up to the root of the repository. */
export async function openProject(
  folder: string,
  env: Environment,
  /** Whether a config in code is read again: a process that stays must not show what it was before. */
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<Project> {
  const project = await withLlmToolTest(await openOwnConfig(folder, env, isFresh));
  if (evalStudioConfigFile(project.folder) === undefined) return project;
  const { withEvalStudioConfig } = await import('./evalstudio-config.ts');
  return withEvalStudioConfig(project);
}

async function withLlmToolTest(project: Project): Promise<Project> {
  if (!existsSync(join(project.folder, olderConfigName))) return project;
  const { readLlmToolTestConfig, withOlderConfig } = await import('./llm-tool-test-config.ts');
  const older = await readLlmToolTestConfig(project.folder);
  if (!older) return project;
  return {
    ...project,
    config: withOlderConfig(project.config, older),
    configFile: project.configFile ?? join(project.folder, olderConfigName),
    warnings: older.warnings,
  };
}

async function openOwnConfig(folder: string, env: Environment, isFresh: boolean): Promise<Project> {
  const configFile = findConfig(folder);
  if (!configFile) return { config: defaultConfig, folder, configFile, parts: registeredParts };
  assertOnlyConfig(configFile);
  const source = await readConfig(relative(folder, configFile), folder, isFresh);
  const { config, problems } = await checkConfig(source, env);
  if (!config || problems.length > 0) throw new ProblemsError(problems, 'CONFIG_INVALID');
  const parts = await partsWith(config, dirname(configFile), (path) => source.locate(path));
  const unknown = unknownReporters(config.reporters, parts, source);
  if (unknown.length > 0) throw new ProblemsError(unknown, 'CONFIG_INVALID');
  const variables = isRecord(source.value) ? variablesIn(expandedNow(source.value)) : [];
  return { config, folder: dirname(configFile), configFile, parts, variables };
}

/** Of two configs one would be ignored without notice. */
function assertOnlyConfig(configFile: string): void {
  const found = configNames.filter((name) => existsSync(join(dirname(configFile), name)));
  if (found.length < 2) return;
  throw new AssayError('CONFIG_INVALID', `There is more than one config file: ${found.join(', ')}.`, {
    hint: 'Keep one of them.',
  });
}

/** Checks a config without loading its plug-ins. */
export async function checkConfig(
  source: ParsedSource,
  env: Environment,
): Promise<{ readonly config: Config | undefined; readonly problems: readonly Problem[] }> {
  const { configSchema } = await import('./config-schema.ts');
  const problems = isRecord(source.value) ? unsetProblems(source, expandedNow(source.value), [], env) : [];
  // An empty file is a config with all defaults.
  const parsed = configSchema.safeParse(expanded(source.value, env));
  if (!parsed.success) problems.push(...problemsOf(parsed.error, source, configSchema));
  return { config: parsed.data, problems };
}

/** Checked after the plug-ins are loaded, because they may bring reporters. */
function unknownReporters(written: readonly string[], { reporters }: Parts, source: ParsedSource): Problem[] {
  const names = reporters.map(({ name }) => name);
  return written.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          {
            at: source.locate(['reporters', index]),
            message: `\`reporters[${index}]\` cannot be \`${name}\``,
            hint: suggestion(name, names),
          },
        ],
  );
}

/** Sections that expand variables when they are used: an unset key matters only then. Those of hooks are the shell's. */
const expandedLater = new Set(['models', 'agents', 'target', 'connectors', 'personas', 'webhooks', 'export', 'hooks']);

function expanded(value: unknown, env: Environment): unknown {
  if (!isRecord(value)) return value ?? {};
  const now = expandVariables(expandedNow(value), env);
  if (!isRecord(value.models) || !isRecord(now.models)) return { ...value, ...now };
  return { ...value, ...now, models: { ...value.models, ...now.models } };
}

/** Names of models are needed when scenarios are read, keys of providers only when a model is called. */
const modelUses = ['judge', 'persona', 'embedding', 'workflow'];

function expandedNow(value: Record<string, unknown>): Record<string, unknown> {
  const now = Object.fromEntries(Object.entries(value).filter(([key]) => !expandedLater.has(key)));
  const { models } = value;
  if (!isRecord(models)) return now;
  const uses = Object.entries(models).filter(([key]) => modelUses.includes(key));
  return uses.length === 0 ? now : { ...now, models: Object.fromEntries(uses) };
}

/** Whether a folder itself has a config. */
export function hasOwnConfig(folder: string): boolean {
  return [...configNames, olderConfigName].some((name) => existsSync(join(folder, name)));
}

/** The config file with the position of each value; undefined for a project without one. */
export async function configSource({ configFile, folder }: Project): Promise<ParsedSource | undefined> {
  return configFile === undefined ? undefined : readConfig(relative(folder, configFile), folder, false);
}

async function readConfig(file: string, folder: string, isFresh: boolean): Promise<ParsedSource> {
  if (!/\.(ts|m?js)$/.test(extname(file))) return readSource(file, folder);
  // Its own code, which runs as such.
  const { readModuleSource } = await import('../../load/sources/module-source.ts');
  return readModuleSource(file, folder, { subject: 'the config', code: 'CONFIG_INVALID' }, isFresh);
}

/** A variable that is not set would leave its placeholder behind, and a folder of that name on the disk. */
function unsetProblems(source: ParsedSource, part: unknown, path: DataPath, env: Environment): Problem[] {
  if (typeof part === 'string') {
    return unsetVariables(part, env).map((name) => ({
      at: source.locate(path),
      message: `the environment variable \`${name}\` is not set`,
    }));
  }
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, inside]) => {
    const step = Array.isArray(part) ? Number(key) : key;
    return unsetProblems(source, inside, [...path, step], env);
  });
}

/** Folder for the artifacts of trials with agents. */
export function artifactsFolder({ folder, config }: Project): string {
  return config.artifacts === undefined ? join(folder, '.assay', 'artifacts') : resolve(folder, config.artifacts);
}
