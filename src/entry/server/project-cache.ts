import { registeredParts } from '../../compose/parts.ts';
import { LastOutcomes } from './catalog/last-outcomes.ts';
import { McpHistory } from './catalog/mcp-history.ts';
import { RubricCatalog } from './catalog/rubrics.ts';
import { ScenarioCatalog } from './catalog/scenarios.ts';
import type { ServerContext } from './context.ts';
import { connectorProblems, NamedParts, type PartSection } from './files/named-parts.ts';
import { ProjectFiles } from './files/project-files.ts';
import { JudgedTrials } from './review/judged-trials.ts';
import { LabelFile } from './review/labels.ts';

type Surroundings = Pick<ServerContext, 'folder' | 'env' | 'store' | 'project'>;

/** What the routes about a project keep between requests: locks, and what is costly to find out again. */
export class ProjectDesk {
  readonly scenarios: ScenarioCatalog;
  readonly rubrics: RubricCatalog;
  readonly files: ProjectFiles;
  readonly parts: Readonly<Record<PartSection, NamedParts>>;
  readonly lastOutcomes: LastOutcomes;
  readonly judgedTrials: JudgedTrials;
  readonly labels: LabelFile;
  readonly mcpHistory: McpHistory;

  constructor({ folder, env, store, project }: Surroundings) {
    this.scenarios = new ScenarioCatalog(project, env);
    this.rubrics = new RubricCatalog(folder);
    const fileOfScenario = (name: string, besides: string) => this.scenarios.fileOf(name, besides);
    this.files = new ProjectFiles(folder, { env, project, fileOfScenario });
    const parts = { folder, env, files: this.files, project };
    this.parts = {
      personas: new NamedParts('personas', { ...parts, problemsOf: async () => [] }),
      connectors: new NamedParts('connectors', {
        ...parts,
        async problemsOf(name, source) {
          // A config that is wrong elsewhere loads no plug-ins.
          const known = await project().catch(() => undefined);
          return connectorProblems(name, source, known?.parts.connectors ?? registeredParts.connectors);
        },
      }),
    };
    this.lastOutcomes = new LastOutcomes(store);
    this.judgedTrials = new JudgedTrials(store);
    this.labels = new LabelFile(folder);
    this.mcpHistory = new McpHistory(store);
  }
}
