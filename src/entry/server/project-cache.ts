import { basename } from 'node:path';
import type { Config, Project } from '../../compose/config/project.ts';
import { registeredParts } from '../../compose/parts.ts';
import { checkScenarios } from '../../compose/run/check-scenarios.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Store } from '../../keep/store/store.ts';
import { LastOutcomes } from './catalog/last-outcomes.ts';
import { McpHistory } from './catalog/mcp-history.ts';
import { RubricCatalog } from './catalog/rubrics.ts';
import { ScenarioCatalog } from './catalog/scenarios.ts';
import {
  connectorProblems,
  evalProblems,
  NamedParts,
  type PartSection,
  portraitProblems,
} from './files/named-parts.ts';
import { NamedScenarios } from './files/named-scenarios.ts';
import { ProjectFiles } from './files/project-files.ts';
import { JudgedTrialsOfRuns } from './review/judged-trials.ts';
import { LabelFile } from './review/labels.ts';
import { compute, type HeavyWork } from './work/heavy-work.ts';

interface ProjectFilesOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where large files are checked; without it they are checked at once. */
  readonly heavyWork?: HeavyWork | undefined;
  project(): Promise<Project>;
}

/** Scenarios and named parts of a project, read and written. */
export class ProjectEditor {
  readonly scenarios: ScenarioCatalog;
  readonly files: ProjectFiles;
  readonly parts: Readonly<Record<PartSection, NamedParts>>;
  readonly namedScenarios: NamedScenarios;

  constructor({ folder, env, project, heavyWork }: ProjectFilesOptions) {
    this.scenarios = new ScenarioCatalog(project, env);
    const scenariosBesides = (file: string) => this.scenarios.filesBesides(file);
    this.files = new ProjectFiles(folder, { env, project, scenariosBesides, heavyWork });
    const brokenBy = async (config: Config) => brokenWith(config, await project(), env);
    const parts = { folder, env, files: this.files, project, brokenBy };
    this.parts = {
      personas: new NamedParts('personas', {
        ...parts,
        problemsOf: (name, source) => portraitProblems(name, source, folder),
      }),
      connectors: new NamedParts('connectors', {
        ...parts,
        async problemsOf(name, source) {
          // A config that is wrong elsewhere loads no plug-ins.
          const opened = await project().catch(() => undefined);
          return connectorProblems(name, source, opened?.parts.connectors ?? registeredParts.connectors);
        },
      }),
      evals: new NamedParts('evals', {
        ...parts,
        problemsOf: async (name, source) => evalProblems(name, source, (await this.scenarios.list()).items),
      }),
    };
    this.namedScenarios = new NamedScenarios({
      catalog: this.scenarios,
      files: this.files,
      scenarioPaths: async () => (await project()).config.scenarios,
      async evalsWith(name) {
        const evals = Object.entries((await project()).config.evals);
        return evals.filter(([, { scenarios }]) => scenarios.includes(name)).map(([each]) => each);
      },
    });
  }
}

/** Problems that scenarios and evals would have with another config. */
async function brokenWith(config: Config, project: Project, env: ProjectFilesOptions['env']): Promise<Problem[]> {
  const before = await checkScenarios(project.config.scenarios, project, env);
  const after = await checkScenarios(project.config.scenarios, { ...project, config }, env);
  const messages = new Set(before.problems.map(({ at, message }) => `${at.file}\n${message}`));
  const ofScenarios = after.problems.filter(({ at, message }) => !messages.has(`${at.file}\n${message}`));
  return [...ofScenarios, ...evalsBrokenBy(config, project)];
}

function evalsBrokenBy({ evals, connectors }: Config, { configFile = 'assay.config.yaml' }: Project): Problem[] {
  return Object.entries(evals).flatMap(([name, { connector }]) => {
    if (connector === undefined || Object.hasOwn(connectors, connector)) return [];
    const message = `the eval "${name}" would name the connector "${connector}", which is gone`;
    return [{ at: { file: basename(configFile), line: 1, column: 1 }, message }];
  });
}

interface ProjectCacheOptions extends ProjectFilesOptions {
  readonly store: Store;
  readonly storeUrl: string;
  readonly heavyWork: HeavyWork;
}

/** State of the routes about a project between requests: locks, and results that are costly to compute. */
export class ProjectCache extends ProjectEditor {
  readonly rubrics: RubricCatalog;
  readonly lastOutcomes: LastOutcomes;
  readonly judgedTrials: JudgedTrialsOfRuns;
  readonly labels: LabelFile;
  readonly mcpHistory: McpHistory;

  constructor(options: ProjectCacheOptions) {
    super(options);
    const { folder, store } = options;
    this.rubrics = new RubricCatalog(folder);
    this.lastOutcomes = new LastOutcomes(store);
    this.judgedTrials = new JudgedTrialsOfRuns(store, (run) => compute('judged', { run }, [run], options));
    this.labels = new LabelFile(folder);
    this.mcpHistory = new McpHistory(store);
  }
}
