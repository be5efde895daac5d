import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../../../compose/config/project.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { armParts, armsOf } from '../../../domain/arm-parts.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import { isModule } from '../../../load/sources/source-file.ts';
import type { ScenarioList } from '../api/project.ts';
import { fileProblems, trialsOf } from '../files/check-text.ts';
import { KeyLocks } from '../files/write-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A scenario in the list, without how it ended last. */
type CatalogItem = Omit<ScenarioList['items'][number], 'last'>;

/** The scenarios and problems of one file. */
interface CatalogFile {
  readonly scenarios: readonly Scenario[];
  readonly items: readonly CatalogItem[];
  readonly problems: readonly Problem[];
}

/** The scenario files of a project, and those that cannot be read, by their paths. */
type Catalog = ReadonlyMap<string, CatalogFile>;

/** Reads the scenarios below some paths of a project. */
async function readCatalog(paths: readonly string[], project: Project, env: Environment): Promise<Catalog> {
  const { scenarios, problems } = await checkScenarios(paths, project, env);
  const files = [...new Set([...scenarios.map(({ file }) => file), ...problems.map(({ at }) => at.file)])].sort();
  const entries = files.map(async (file) => {
    const own = scenarios.filter((scenario) => scenario.file === file);
    const items: CatalogItem[] = [];
    const changedAt = (await stat(join(project.folder, file)).catch(() => undefined))?.mtimeMs ?? null;
    for (const scenario of own) items.push(await itemOf(scenario, changedAt));
    return [file, { scenarios: own, items, problems: problems.filter(({ at }) => at.file === file) }] as const;
  });
  return new Map(await Promise.all(entries));
}

/**
 * The catalog after some of its files were written, with only those read again; undefined where that could differ from
 * reading everything: a name that another file has as well, or material of an agent's work that others lie in.
 */
async function updateCatalog(
  catalog: Catalog,
  changed: readonly string[],
  project: Project,
  env: Environment,
): Promise<Catalog | undefined> {
  const read = await readCatalog(changed, project, env);
  const involved = [...changed.map((file) => catalog.get(file)), ...read.values()].flatMap(
    (file) => file?.scenarios ?? [],
  );
  const names = new Set(involved.map(({ name }) => name));
  const others = [...catalog].filter(([file]) => !changed.includes(file));
  const isShared = others.some(([, { scenarios }]) => scenarios.some(({ name }) => names.has(name)));
  const hasMaterial = involved.some(({ target }) => target.type === 'cli-tool');
  // A file without scenarios may have another purpose now.
  const areScenarios = changed.every((file) => (read.get(file)?.scenarios.length ?? 0) > 0);
  if (isShared || hasMaterial || !areScenarios) return undefined;
  return new Map([...others, ...read].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function itemOf(scenario: Scenario, changedAt: number | null): Promise<CatalogItem> {
  const { name, description, target, tags, tier, caseCount } = scenario;
  const file = scenario.file.replaceAll('\\', '/');
  return {
    name,
    file,
    description,
    target: target.type,
    tags: [...tags],
    tier,
    cases: caseCount,
    trials: trialsOf(scenario),
    evaluators: await evaluatorTypes(scenario),
    arms: Object.fromEntries(
      armParts.map((part) => [part, armsOf(scenario, part)] as const).filter(([, names]) => names.length > 0),
    ),
    isEditable: !isModule(file),
    changedAt,
  };
}

/** As the first case has them; cases of one scenario are mostly judged alike. */
async function evaluatorTypes(scenario: Scenario): Promise<string[]> {
  for await (const { evaluators } of scenario.cases()) return [...new Set(evaluators.map(({ type }) => type))];
  return [];
}

const closedFolders = new Set(['node_modules', 'dist', 'coverage']);
const mostFiles = 20_000;

/** Files by their path relative to a folder, each with a text that changes when the file does. */
type TreeStamps = ReadonlyMap<string, string>;

/** The files below a folder; hidden and generated folders do not count. */
async function treeStamps(folder: string): Promise<TreeStamps> {
  const stamps = new Map<string, string>();
  const folders = [''];
  for (let next = folders.pop(); next !== undefined && stamps.size < mostFiles; next = folders.pop()) {
    const here = next;
    const entries = (await readdir(join(folder, here), { withFileTypes: true }).catch(() => [])).filter(isOpen);
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(here, entry.name));
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(here, name));
    const found = await Promise.all(files.map(async (file) => [file, await stampOf(join(folder, file))] as const));
    for (const [file, stamp] of found) stamps.set(file, stamp);
  }
  return stamps;
}

/** The files that were made, changed or removed between two looks at a folder. */
function changedFiles(before: TreeStamps, now: TreeStamps): string[] {
  const all = new Set([...before.keys(), ...now.keys()]);
  return [...all].filter((file) => before.get(file) !== now.get(file));
}

function isOpen({ name }: Dirent): boolean {
  return !name.startsWith('.') && !closedFolders.has(name);
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return `${found?.mtimeMs}:${found?.size}:${found?.ino}`;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Known {
  readonly project: Project;
  readonly stamps: TreeStamps;
  readonly catalog: Catalog;
}

/** The scenarios of a project; what has not changed is not read again. */
export class ScenarioCatalog {
  readonly #project: () => Promise<Project>;
  readonly #env: Env;
  readonly #locks = new KeyLocks();
  #known: Known | undefined;

  constructor(project: () => Promise<Project>, env: Env) {
    this.#project = project;
    this.#env = env;
  }

  /** The scenarios that can be run, and the files with problems, which may have scenarios as well. */
  async list(): Promise<{ readonly items: readonly CatalogItem[]; readonly broken: ScenarioList['broken'] }> {
    const catalog = await this.#read();
    return {
      items: [...catalog.values()].flatMap(({ items }) => items),
      broken: [...catalog].flatMap(([file, { problems }]) =>
        problems.length > 0 ? [{ file: file.replaceAll('\\', '/'), problems: fileProblems(file, problems) }] : [],
      ),
    };
  }

  async scenarios(): Promise<readonly Scenario[]> {
    return [...(await this.#read()).values()].flatMap(({ scenarios }) => scenarios);
  }

  /** Files of the scenarios outside of one file, by name. */
  async filesBesides(file: string): Promise<ReadonlyMap<string, string>> {
    const { items } = await this.list();
    const others = items.filter((item) => item.file !== file);
    // The first of a name counts.
    return new Map(others.reverse().map((item) => [item.name, item.file]));
  }

  /** Concurrent callers share one reading. */
  #read(): Promise<Catalog> {
    return this.#locks.run('catalog', async () => {
      const project = await this.#project();
      const stamps = await treeStamps(project.folder);
      const catalog = await this.#catalogOf(project, stamps);
      this.#known = { project, stamps, catalog };
      return catalog;
    });
  }

  async #catalogOf(project: Project, stamps: TreeStamps): Promise<Catalog> {
    const whole = () => readCatalog(project.config.scenarios, project, this.#env);
    if (this.#known?.project !== project) return whole();
    const { catalog } = this.#known;
    const changed = changedFiles(this.#known.stamps, stamps);
    if (changed.length === 0) return catalog;
    // Anything else may be a dataset, a rubric or a module that scenarios take in.
    const areScenarios = changed.every((file) => catalog.has(file) && stamps.has(file));
    return (areScenarios ? await updateCatalog(catalog, changed, project, this.#env) : undefined) ?? whole();
  }
}
