import { basename, relative } from 'node:path';
import * as z from 'zod';
import { describeProjectPrices, describeProjectProviders } from '../../../compose/config/describe-models.ts';
import type { Project } from '../../../compose/config/project.ts';
import { describeAgents } from '../../../compose/config/project-agents.ts';
import type { Settings } from '../api/project.ts';
import type { ServerContext } from '../context.ts';
import { isModulePath } from './file-kind.ts';
import { mask } from './masked-value.ts';

type SettingsContext = Pick<ServerContext, 'env' | 'storeUrl' | 'version' | 'project'>;

/** What the program works with here; of keys only whether they are there. */
export async function readSettings(context: SettingsContext): Promise<Settings> {
  const { env, storeUrl, version } = context;
  const project = await context.project();
  const { configSchema } = await import('../../../compose/config/config-schema.ts');
  const configFile = project.configFile === undefined ? null : relative(project.folder, project.configFile);
  return {
    project: {
      folder: basename(project.folder),
      configFile,
      isConfigEditable: configFile === null || !isModulePath(configFile),
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
  const models = fromEnv ? [fromEnv] : [config.judge.model ?? []].flat();
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
