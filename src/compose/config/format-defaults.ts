import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunOptions } from '../../domain/option-values.ts';
import { installedAgents } from '../../drive/agents/installed-agents.ts';
import type { CliToolDefaults, ConversationDefaults } from '../../load/scenarios/scenario-format.ts';
import { evalStudioConfigFile } from './find-config.ts';
import type { Project } from './project.ts';

const usualNames = ['llm-test-fixtures', 'fixtures'];

/** The folders in which templates and rubrics are looked for when the config names none. */
export function fixturesFolders(folder: string): string[] {
  return usualNames
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .slice(0, 1);
}

type Env = Readonly<Record<string, string | undefined>>;

/** Agent of last resort, as in llm-tool-test. */
const usualAgent = 'opencode';

/** The agent that drives CLI tools where none is named: the only one of the config, or the only one that is installed. */
function onlyAgent({ config }: Project, env: Env): string {
  const named = Object.keys(config.agents);
  if (named.length === 1 && named[0] !== undefined) return named[0];
  const installed = config.isolation === 'container' ? [] : installedAgents(env.PATH);
  return installed.length === 1 && installed[0] !== undefined ? installed[0] : usualAgent;
}

/** Models for workflows that name none, and the variables with the keys of their providers; the first is that of MCPVals. */
const workflowModels: Readonly<Record<string, readonly string[]>> = {
  'anthropic/claude-sonnet-4-5': ['ANTHROPIC_API_KEY'],
  'openai/gpt-4.1': ['OPENAI_API_KEY'],
  'google/gemini-2.5-pro': ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
};

/** The first of them whose provider has a key; undefined where none has. */
function modelWithKey({ config }: Project, env: Env): string | undefined {
  const isKnown = ([model, variables]: [string, readonly string[]]): boolean =>
    config.models.providers[model.split('/')[0] ?? '']?.apiKey !== undefined || variables.some((name) => env[name]);
  return Object.entries(workflowModels).find(isKnown)?.[0];
}

/** Defaults of the config and of a request for CLI tools and their agents. */
export function cliToolDefaults(
  project: Project,
  { agents = [], models = [], profile, targetBinary }: RunOptions,
  env: Env,
): CliToolDefaults {
  const { config, folder } = project;
  return {
    target: config.target,
    targetBinary,
    path: config.isolation === 'container' ? undefined : env.PATH,
    fixturesFolders: config.fixtures === undefined ? fixturesFolders(folder) : [resolve(folder, config.fixtures)],
    agents: agents.length > 0 ? agents : undefined,
    models: models.length > 0 ? models : undefined,
    profile,
    profiles: config.profiles,
    tools: config.agents,
    defaultAgent: () => env.LLM_TOOL_TEST_TOOL || config.agent || onlyAgent(project, env),
    workflowModel: config.models.workflow ?? modelWithKey(project, env),
    harnessOf: async (agent) => {
      const { ProjectAgents } = await import('./project-agents.ts');
      const kind = await new ProjectAgents(project, env).kindOf(agent).catch(() => undefined);
      return kind && { parts: Object.keys(kind.harness ?? {}) };
    },
  };
}

/** Defaults of the config and of a request for conversations: connectors and personas. */
export function conversationDefaults(
  { config, parts, folder }: Project,
  { connectors = [], connectorUrl, models = [] }: RunOptions,
): ConversationDefaults {
  return {
    connectors: config.connectors,
    personas: Object.fromEntries(
      Object.entries(config.personas).map(([key, persona]) => [key, { ...persona, name: persona.name ?? key }]),
    ),
    connectorKinds: parts.connectors,
    connectorNames: connectors.length > 0 ? connectors : undefined,
    connectorUrl,
    models: models.length > 0 ? models : undefined,
    // As in EvalStudio, whose workspaces expect them of every scenario.
    automaticMetrics: evalStudioConfigFile(folder) === undefined ? [] : ['tool-call-count', 'token-usage'],
  };
}
