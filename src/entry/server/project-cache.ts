import type { Project } from '../../compose/config/project.ts';
import { registeredParts } from '../../compose/parts.ts';
import type { Store } from '../../keep/store/store.ts';
import { LastOutcomes } from './catalog/last-outcomes.ts';
import { McpHistory } from './catalog/mcp-history.ts';
import { RubricCatalog } from './catalog/rubrics.ts';
import { ScenarioCatalog } from './catalog/scenarios.ts';
import { connectorProblems, NamedParts, type PartSection, portraitProblems } from './files/named-parts.ts';
import { ProjectFiles } from './files/project-files.ts';
import { JudgedTrials } from './review/judged-trials.ts';
import { LabelFile } from './review/labels.ts';

interface ProjectCacheOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  project(): Promise<Project>;
}

/** State of the routes about a project between requests: locks, and results that are costly to compute. */
export class ProjectCache {
  readonly scenarios: ScenarioCatalog;
  readonly rubrics: RubricCatalog;
  readonly files: ProjectFiles;
  readonly parts: Readonly<Record<PartSection, NamedParts>>;
  readonly lastOutcomes: LastOutcomes;
  readonly judgedTrials: JudgedTrials;
  readonly labels: LabelFile;
  readonly mcpHistory: McpHistory;

  constructor({ folder, env, store, project }: ProjectCacheOptions) {
    this.scenarios = new ScenarioCatalog(project, env);
    this.rubrics = new RubricCatalog(folder);
    const fileOfScenario = (name: string, besides: string) => this.scenarios.fileOf(name, besides);
    this.files = new ProjectFiles(folder, { env, project, fileOfScenario });
    const parts = { folder, env, files: this.files, project };
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
    };
    this.lastOutcomes = new LastOutcomes(store);
    this.judgedTrials = new JudgedTrials(store);
    this.labels = new LabelFile(folder);
    this.mcpHistory = new McpHistory(store);
  }
}
