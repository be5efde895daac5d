import type { ScenarioList } from '../../api/project.ts';
import { checkScenarios } from '../../compose/check-scenarios.ts';
import type { Project } from '../../compose/config.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { trialsOf } from './check-text.ts';
import { isModulePath } from './file-kind.ts';
import { fileProblems } from './file-problems.ts';
import { treeStamp } from './tree-stamp.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Item = Omit<ScenarioList['items'][number], 'last'>;

/** The scenarios of a project as they are now. */
export interface Catalog {
  readonly scenarios: readonly Scenario[];
  readonly items: readonly Item[];
  readonly broken: ScenarioList['broken'];
  /** Data files beside the scenarios that are none. */
  readonly otherFiles: readonly string[];
}

/** The scenarios of a project, read again when a file of the project has changed. */
export class ScenarioCatalog {
  readonly #project: () => Promise<Project>;
  readonly #env: Env;
  #known: { readonly stamp: string; readonly project: Project; readonly catalog: Promise<Catalog> } | undefined;

  constructor(project: () => Promise<Project>, env: Env) {
    this.#project = project;
    this.#env = env;
  }

  async read(): Promise<Catalog> {
    const project = await this.#project();
    const stamp = await treeStamp(project.folder);
    if (this.#known?.stamp !== stamp || this.#known.project !== project) {
      const catalog = readCatalog(project, this.#env);
      this.#known = { stamp, project, catalog };
      // What went wrong once may go well when it is asked for again.
      catalog.catch(() => {
        if (this.#known?.catalog === catalog) this.#known = undefined;
      });
    }
    return this.#known.catalog;
  }

  /** The file that has a scenario of this name, unless it is the given one. */
  async fileOf(name: string, besides: string): Promise<string | undefined> {
    const { items } = await this.read();
    return items.find((item) => item.name === name && item.file !== besides)?.file;
  }
}

async function readCatalog(project: Project, env: Env): Promise<Catalog> {
  const { scenarios, problems, otherFiles } = await checkScenarios(project.config.scenarios, project, env);
  const items: Item[] = [];
  for (const scenario of scenarios) items.push(await itemOf(scenario));
  return { scenarios, items, broken: brokenFiles(problems), otherFiles };
}

async function itemOf(scenario: Scenario): Promise<Item> {
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

function brokenFiles(problems: readonly Problem[]): ScenarioList['broken'] {
  const files = new Set(problems.map(({ at }) => at.file));
  return [...files].map((file) => ({
    file: file.replaceAll('\\', '/'),
    problems: fileProblems(
      file,
      problems.filter(({ at }) => at.file === file),
    ),
  }));
}
