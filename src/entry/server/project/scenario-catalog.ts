import type { Project } from '../../../compose/config/project.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import type { ScenarioList } from '../api/project.ts';
import { type Catalog, type CatalogItem, readCatalog, updateCatalog } from './catalog.ts';
import { fileProblems } from './file-problems.ts';
import { KeyLocks } from './key-locks.ts';
import { changedFiles, type TreeStamps, treeStamps } from './tree-stamps.ts';

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

  /** What can be run, and files with problems, which may have scenarios as well. */
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

  /** The file that has a scenario of this name, unless it is the given one. */
  async fileOf(name: string, besides: string): Promise<string | undefined> {
    const { items } = await this.list();
    return items.find((item) => item.name === name && item.file !== besides)?.file;
  }

  /** One after the other, so that those who ask at the same time share one reading. */
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
