import { basename, relative } from 'node:path';
import * as z from 'zod';
import { describeProjectPrices, describeProjectProviders } from '../../../compose/config/describe-models.ts';
import type { Project } from '../../../compose/config/project.ts';
import { describeAgents } from '../../../compose/config/project-agents.ts';
import { projectJudge } from '../../../compose/judge/judging.ts';
import { type Parts, registeredParts } from '../../../compose/parts.ts';
import { isPostgresUrl } from '../../../keep/store/open-store.ts';
import { discoverFiles } from '../../../load/scenarios/discover.ts';
import { isModule } from '../../../load/sources/source-file.ts';
import type { ConnectorType, EvaluatorType, Settings, Status } from '../api/project.ts';
import type { ServerContext } from '../context.ts';
import { mask } from '../files/masks.ts';

type SettingsContext = Pick<ServerContext, 'env' | 'storeUrl' | 'version' | 'project'>;

/** The settings of the program; of keys only whether they are set. */
export async function readSettings(context: SettingsContext): Promise<Settings> {
  const { env, storeUrl, version } = context;
  const project = await context.project();
  const { configSchema } = await import('../../../compose/config/config-schema.ts');
  const configFile = project.configFile === undefined ? null : relative(project.folder, project.configFile);
  return {
    project: {
      folder: basename(project.folder),
      configFile,
      isConfigEditable: configFile === null || !isModule(configFile),
    },
    store: withoutPassword(storeUrl),
    assayVersion: version,
    judge: judgeOf(project, env),
    providers: describeProjectProviders(project, env),
    prices: await describeProjectPrices(project, env),
    agents: await agentsOf(project, env),
    configSchema: z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }),
  };
}

function judgeOf({ config }: Project, env: SettingsContext['env']): Settings['judge'] {
  const fromEnv = env.LLM_TOOL_TEST_JUDGE;
  const models = fromEnv ? [fromEnv] : [projectJudge(config) ?? []].flat();
  return { models, samples: config.judge.samples, isEnabled: models.length > 0 };
}

async function agentsOf(project: Project, env: SettingsContext['env']): Promise<Settings['agents']> {
  const agents = await describeAgents(project, env);
  return agents.map(({ name, summary, isUsable, version, problem, hint }) => ({
    id: name,
    title: summary === '' ? name : summary,
    isUsable,
    detail: isUsable ? (version ?? 'found') : [problem, hint].filter(Boolean).join(' '),
  }));
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^/?#@:]*:)[^@/]*@/i, `$1${mask}@`).replace(/([?&]password=)[^&]*/gi, `$1${mask}`);
}

/** The served project, and whether it has runs and scenarios yet. */
export async function readStatus(context: ServerContext): Promise<Status> {
  const { store, folder, version, startedAt, storeUrl } = context;
  const [newest] = await store.listRuns(1);
  return {
    assayVersion: version,
    project: basename(folder),
    isEmpty: newest === undefined,
    hasScenarios: await hasScenarios(context),
    startedAt,
    hasWorkers: isPostgresUrl(storeUrl),
  };
}

/** Data files beside the config may be anything; the list of scenarios sorts them out. */
async function hasScenarios(context: ServerContext): Promise<boolean> {
  const project = await context.project().catch(() => undefined);
  const { scenarios = ['.'], exclude } = project?.config ?? {};
  const { files } = await discoverFiles(scenarios, project?.folder ?? context.folder, exclude);
  return files.some(({ file }) => !/(^|[/\\])(assay\.config\.|package(-lock)?\.json|tsconfig)/.test(file));
}

/** The evaluators that scenarios of a project may name. */
export function evaluatorTypes({ evaluators, autoEvaluators }: Parts): EvaluatorType[] {
  const own = new Set(registeredParts.evaluators.map(({ type }) => type));
  return evaluators.map(({ type, label, summary, kind, needs, isGate, configSchema }) => ({
    type,
    label,
    description: summary,
    kind,
    configSchema: jsonSchemaOf(configSchema),
    builtin: own.has(type),
    auto: autoEvaluators.some((auto) => auto.type === type),
    needs: [...needs],
    isGate: isGate ?? false,
  }));
}

/** The kinds of connector that a project may use. */
export function connectorTypes({ connectors }: Parts): ConnectorType[] {
  return connectors.map(({ type, summary, configSchema }) => ({
    type,
    summary,
    configSchema: jsonSchemaOf(configSchema),
  }));
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
