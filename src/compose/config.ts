import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../domain/errors.ts';
import { ProblemsError } from '../domain/problem.ts';
import type { ParsedSource } from '../scenarios/parsed-source.ts';
import { problemsOf } from '../scenarios/schema-problems.ts';
import { readSource } from '../scenarios/source-file.ts';
import { importUserModule } from '../shared/import-user-module.ts';
import { expandVariables } from '../shared/variables.ts';
import { defaultStoreUrl } from '../store/open-store.ts';

/** The project's config file, whatever format it is written in. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  scenarios: z
    .array(z.string().min(1))
    .default(['.'])
    .describe('files and folders that `assay run` takes when none are named'),
  store: z.string().min(1).default(defaultStoreUrl).describe('where runs are kept'),
  concurrency: z.int().min(1).max(1_000).default(8).describe('trials at a time'),
  timeoutSecs: z
    .number()
    .positive()
    .max(86_400)
    .default(30)
    .describe('for one trial, unless its scenario says otherwise'),
  reporters: z.array(z.string()).default(['console']).describe('reports to write after a run'),
  output: z.string().min(1).optional().describe('folder for report files'),
});
export type Config = z.output<typeof configSchema>;

/** A config and the folder that its paths are relative to. */
export interface Project {
  readonly config: Config;
  readonly folder: string;
  /** Undefined when the project has no config file and the defaults hold. */
  readonly configFile: string | undefined;
}

const configNames = ['yaml', 'yml', 'json', 'jsonc', 'toml', 'ts', 'js', 'mjs'].map(
  (ending) => `assay.config.${ending}`,
);

/** Finds the config in the folder or above it, up to the root of the repository. */
export async function openProject(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<Project> {
  const configFile = findConfig(folder);
  if (!configFile) return { config: configSchema.parse({}), folder, configFile };
  const projectFolder = dirname(configFile);
  const source = await readConfig(configFile, projectFolder);
  const parsed = configSchema.safeParse(expandVariables(source.value ?? {}, env));
  if (!parsed.success) throw new ProblemsError(problemsOf(parsed.error, source, configSchema), 'CONFIG_INVALID');
  return { config: parsed.data, folder: projectFolder, configFile };
}

function findConfig(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const name = configNames.find((candidate) => existsSync(join(at, candidate)));
    if (name) return join(at, name);
    if (existsSync(join(at, '.git')) || dirname(at) === at) return undefined;
  }
}

async function readConfig(file: string, folder: string): Promise<ParsedSource> {
  if (!/\.(ts|m?js)$/.test(extname(file))) return readSource(file, folder);
  try {
    const module = await importUserModule(file);
    const at = { file, line: 1, column: 1 };
    return { file, value: module.default, locate: () => at, locateKey: () => at, locateInString: () => at };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new AssayError('CONFIG_INVALID', `Cannot load ${file}: ${message}`, { cause: error });
  }
}
