import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PartSpec } from '../../domain/scenario.ts';
import { importModule } from '../../shared/import-module.ts';
import { importUserModule } from '../../shared/import-user-module.ts';
import { messageOf } from './foreign-error.ts';
import type { PluginParts } from './plugin-parts.ts';
import { type PluginEntry, type PluginProblem, pluginsError } from './plugin-problem.ts';
import { type ExportedPart, readExport } from './read-export.ts';
import { withinTimeLimit } from './time-limit.ts';

/** The parts of all plug-ins of a project. */
export interface Plugins extends PluginParts {
  /** Evaluators that every scenario is asked about. */
  readonly autoEvaluators: readonly PartSpec[];
  /** The entry of the config that brought a part. */
  entryOf(part: object): PluginEntry | undefined;
}

interface LoadOptions {
  /** For one plug-in; its own imports included. */
  readonly timeLimitMs?: number;
}

/**
 * Loads the plug-ins that a config names; their code is the user's own, and runs as such. Entries that begin with `.`
 * and absolute paths are files, all others are packages. Throws everything that is wrong with any of them.
 */
export async function loadPlugins(
  entries: readonly PluginEntry[],
  configFolder: string,
  { timeLimitMs = 30_000 }: LoadOptions = {},
): Promise<Plugins> {
  const problems: PluginProblem[] = [];
  const brought = new Map<object, PluginEntry>();
  const parts: ExportedPart[] = [];
  for (const entry of entries) {
    const loaded = await loadPlugin(entry, configFolder, timeLimitMs);
    if ('message' in loaded) problems.push(loaded);
    else for (const exported of loaded.parts) brought.set(exported.part, entry);
    if ('parts' in loaded) parts.push(...loaded.parts);
  }
  if (problems.length > 0) throw pluginsError(problems);
  const ofFamily = (family: keyof PluginParts) => parts.filter((exported) => exported.family === family);
  const listOf = (family: keyof PluginParts): object[] => ofFamily(family).map(({ part }) => part);
  return {
    evaluators: listOf('evaluators') as PluginParts['evaluators'][number][],
    connectors: listOf('connectors') as PluginParts['connectors'][number][],
    agents: listOf('agents') as PluginParts['agents'][number][],
    reporters: listOf('reporters') as PluginParts['reporters'][number][],
    autoEvaluators: ofFamily('evaluators').flatMap(({ name, isAuto }) => (isAuto ? [{ type: name, config: {} }] : [])),
    entryOf: (part) => brought.get(part),
  };
}

async function loadPlugin(
  entry: PluginEntry,
  folder: string,
  timeLimitMs: number,
): Promise<{ readonly parts: ExportedPart[] } | PluginProblem> {
  const called = `Evaluator plugin "${entry.specifier}"`;
  let module: Record<string, unknown>;
  try {
    module = await withinTimeLimit(importPlugin(entry.specifier, folder), timeLimitMs);
  } catch (error) {
    const reason = firstLine(messageOf(error)).replace(/[.\s]*$/, '');
    return { entry, message: `${called} could not be loaded: ${reason}. Make sure you've built your project.` };
  }
  try {
    return { parts: readExport(module) };
  } catch (error) {
    const message = `${called} has an invalid export. Use defineEvaluator() to create the export.`;
    const hint = `Export what defineEvaluator(), defineConnector(), defineAgent() or defineReporter() gives; ${messageOf(error)}.`;
    return { entry, message, hint };
  }
}

async function importPlugin(specifier: string, folder: string): Promise<Record<string, unknown>> {
  const isFile = specifier.startsWith('.') || isAbsolute(specifier);
  return importUserModule(isFile ? resolve(folder, specifier) : await packageFile(specifier, folder));
}

/** The file that an import of the package in the config's folder would load. */
async function packageFile(specifier: string, folder: string): Promise<string> {
  const { createJiti } = (await importModule('jiti')) as typeof import('jiti');
  const importer = pathToFileURL(join(folder, 'assay.config.js')).href;
  const found = createJiti(importer).esmResolve(specifier, importer);
  return found.startsWith('file:') ? fileURLToPath(found) : found;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
