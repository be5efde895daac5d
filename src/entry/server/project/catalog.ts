import type { Project } from '../../../compose/config/project.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import type { ScenarioList } from '../api/project.ts';
import { trialsOf } from './check-text.ts';
import { isModulePath } from './file-kind.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A scenario in the list, without how it ended last. */
export type CatalogItem = Omit<ScenarioList['items'][number], 'last'>;

/** What one file holds. */
export interface CatalogFile {
  readonly scenarios: readonly Scenario[];
  readonly items: readonly CatalogItem[];
  readonly problems: readonly Problem[];
}

/** The scenario files of a project, and those that cannot be read, by their paths. */
export type Catalog = ReadonlyMap<string, CatalogFile>;

/** Reads the scenarios below some paths of a project. */
export async function readCatalog(paths: readonly string[], project: Project, env: Env): Promise<Catalog> {
  const { scenarios, problems } = await checkScenarios(paths, project, env);
  const files = [...new Set([...scenarios.map(({ file }) => file), ...problems.map(({ at }) => at.file)])].sort();
  const entries = files.map(async (file) => {
    const own = scenarios.filter((scenario) => scenario.file === file);
    const items: CatalogItem[] = [];
    for (const scenario of own) items.push(await itemOf(scenario));
    return [file, { scenarios: own, items, problems: problems.filter(({ at }) => at.file === file) }] as const;
  });
  return new Map(await Promise.all(entries));
}

/**
 * The catalog after some of its files were written, with only those read again; undefined where that could differ from
 * reading everything: a name that another file has as well, or material of an agent's work that others lie in.
 */
export async function updateCatalog(
  catalog: Catalog,
  changed: readonly string[],
  project: Project,
  env: Env,
): Promise<Catalog | undefined> {
  const read = await readCatalog(changed, project, env);
  const involved = [...changed.map((file) => catalog.get(file)), ...read.values()].flatMap(
    (file) => file?.scenarios ?? [],
  );
  const names = new Set(involved.map(({ name }) => name));
  const others = [...catalog].filter(([file]) => !changed.includes(file));
  const isShared = others.some(([, { scenarios }]) => scenarios.some(({ name }) => names.has(name)));
  const hasMaterial = involved.some(({ target }) => target.type === 'cli-tool');
  // What is no scenario any more may not be meant as one.
  const areScenarios = changed.every((file) => (read.get(file)?.scenarios.length ?? 0) > 0);
  if (isShared || hasMaterial || !areScenarios) return undefined;
  return new Map([...others, ...read].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function itemOf(scenario: Scenario): Promise<CatalogItem> {
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
    isEditable: !isModulePath(file),
  };
}

/** As the first case has them; cases of one scenario are mostly judged alike. */
async function evaluatorTypes(scenario: Scenario): Promise<string[]> {
  for await (const { evaluators } of scenario.cases()) return [...new Set(evaluators.map(({ type }) => type))];
  return [];
}
