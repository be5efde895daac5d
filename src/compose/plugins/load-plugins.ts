import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AssayError, type FilePosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import type { Case, PartSpec, Scenario } from '../../domain/scenario.ts';
import { sha256 } from '../../shared/ids.ts';
import { importModule } from '../../shared/import-module.ts';
import { importUserModule } from '../../shared/import-user-module.ts';
import { canonicalJson } from '../../shared/json.ts';
import { firstLine } from '../../shared/text.ts';
import { messageOf, withinTimeLimit } from './foreign-calls.ts';
import { type Family, families, type PluginParts } from './plugin-parts.ts';
import { type ExportedPart, readExport } from './read-export.ts';

/** A plug-in as a config names it. */
interface PluginEntry {
  /** A path relative to the config's folder, or the name of a package. */
  readonly specifier: string;
  /** Where the config names it. */
  readonly at?: FilePosition | undefined;
}

/** A problem of one plug-in. */
interface PluginProblem {
  readonly entry: PluginEntry;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** All problems as one error, each at the position of the plug-in in the config, where there is one. */
function pluginsError(problems: readonly PluginProblem[]): AssayError {
  const located = problems.flatMap(({ entry: { at }, message, hint }) => (at ? [{ at, message, hint }] : []));
  if (located.length === problems.length) return new ProblemsError(located, 'CONFIG_INVALID');
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint;
  return new AssayError('CONFIG_INVALID', problems.map(({ message }) => message).join('\n'), { hint });
}

/** The parts of all plug-ins of a project. */
export interface Plugins extends PluginParts {
  /** Evaluators that run on every scenario. */
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
    if (error instanceof AssayError) throw error;
    const reason = firstLine(messageOf(error)).replace(/[.\s]*$/, '');
    return { entry, message: `${called} could not be loaded: ${reason}. Make sure you've built your project.` };
  }
  try {
    return { parts: readExport(module) };
  } catch (error) {
    const message = `${called} has an invalid export. Use defineEvaluator() to create the export.`;
    const hint = `Export the result of defineEvaluator(), defineConnector(), defineAgent() or defineReporter(): ${messageOf(error)}.`;
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

interface NamedPlugins {
  readonly plugins?: readonly string[] | undefined;
  /** The key of an earlier format. */
  readonly evaluators?: readonly string[] | undefined;
}

type Locate = (path: readonly PropertyKey[]) => FilePosition;

/** The plug-ins that a config names, in order, with their places where `locate` knows them. */
export function pluginEntries(config: NamedPlugins, locate?: Locate): PluginEntry[] {
  return (['plugins', 'evaluators'] as const).flatMap((key) =>
    (config[key] ?? []).map((specifier, index) => ({ specifier, at: locate?.([key, index]) })),
  );
}

/** Lists of the program's own parts; those that are not given are not merged. */
type BuiltIn = { readonly [Name in Family]?: readonly Named<Name>[] };

/** A part with the name that identifies it within its family. */
type Named<Name extends Family> = Name extends 'agents' | 'reporters'
  ? { readonly name: string }
  : { readonly type: string };

/** The program's own parts and those of plug-ins behind them. Throws when a name is there twice. */
export function withPlugins<Lists extends BuiltIn & Partial<PluginParts>>(builtIn: Lists, plugins: Plugins): Lists {
  const problems: PluginProblem[] = [];
  const merged: Record<string, unknown> = { ...builtIn };
  for (const family of Object.keys(families) as Family[]) {
    const own = builtIn[family];
    if (!own) continue;
    problems.push(...repeatedNames(family, own, plugins));
    merged[family] = [...own, ...plugins[family]];
  }
  if (problems.length > 0) throw pluginsError(problems);
  return merged as Lists;
}

function repeatedNames(family: Family, own: readonly object[], plugins: Plugins): PluginProblem[] {
  const { word } = families[family];
  const nameOf = families[family].nameOf as (part: object) => string;
  const owners = new Map(own.map((part) => [nameOf(part), 'built-in']));
  return plugins[family].flatMap((part) => {
    const name = nameOf(part);
    const whose = owners.get(name);
    owners.set(name, whose ?? 'custom');
    if (whose === undefined) return [];
    const message = `${word} "${name}" is already registered (${whose}). Custom ${family} cannot override existing ${endings[family]}.`;
    return [{ entry: plugins.entryOf(part) ?? { specifier: name }, message }];
  });
}

const endings: Readonly<Record<Family, string>> = {
  evaluators: 'types',
  connectors: 'types',
  agents: 'names',
  reporters: 'names',
};

/** The scenario with the evaluators of plug-ins that run on every scenario, unless it names them itself. */
export function withAutoEvaluators<Kind extends Scenario>(
  scenario: Kind,
  plugins: Pick<Plugins, 'autoEvaluators'>,
): Kind {
  const { autoEvaluators } = plugins;
  if (autoEvaluators.length === 0) return scenario;
  // Cases that share their evaluators keep sharing them, so each is prepared once.
  const extended = new WeakMap<readonly PartSpec[], readonly PartSpec[]>();
  const extend = (named: readonly PartSpec[]): readonly PartSpec[] => {
    const added = autoEvaluators.filter(({ type }) => !named.some((spec) => spec.type === type));
    const all = extended.get(named) ?? [...named, ...added];
    extended.set(named, all);
    return all;
  };
  return {
    ...scenario,
    contentHash: sha256(canonicalJson([scenario.contentHash, autoEvaluators])),
    async *cases(): AsyncIterable<Case> {
      for await (const each of scenario.cases()) yield { ...each, evaluators: extend(each.evaluators) };
    },
  };
}
