import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { approvalJudges, approvalsOfTrial } from '../../domain/approval-policy.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import type { AgentKind } from '../../drive/agents/agent.ts';
import { agentKinds } from '../../drive/agents/index.ts';
import type { ConnectorSpec, ConversationConfig } from '../../drive/conversation/conversation-config.ts';
import { simulatedTools } from '../../drive/mcp/control/simulated-tools.ts';
import { oauthVariables, serversIn } from '../../drive/mcp/server-definition.ts';
import type { ModelsConfig } from '../../drive/models/models-config.ts';
import { type Provider, settingsNames } from '../../drive/models/provider.ts';
import { type ResolvedModel, resolveModel } from '../../drive/models/resolve-model.ts';
import { type Limits, type Needs, protocolVersion } from '../../keep/distribution/distribution.ts';
import { isRecord } from '../../shared/json.ts';
import { variablesIn } from '../../shared/variables.ts';
import type { Project } from '../config/project.ts';

/** Options that change the requirements of a trial. */
interface NeedsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Models that judge the trial; none where no evaluator asks a judge. */
  readonly judges: readonly string[];
  /** The model that plays those who talk to an agent, where they name none themselves. */
  readonly personaModel?: string | undefined;
}

/**
 * Requirements of a scenario's trials under a variant on their worker. Of variables, `A|B` means that one of the two
 * is enough.
 */
export function needsOf(scenario: Scenario, variant: Variant, project: Project, context: NeedsContext): Needs {
  const { config } = project;
  const agent = variant.agent === undefined ? undefined : agentNeeds(variant.agent, variant.model, project);
  const models = [
    ...context.judges,
    ...playersOf(scenario, variant, context),
    ...bareModels(scenario, variant),
    ...simulatedTools(scenario).map(({ model }) => model),
    ...approversOf(scenario, variant, context),
  ];
  const variables = [
    ...(project.variables ?? []),
    ...targetVariables(scenario, context),
    ...(scenario.target.type === 'conversation' ? conversationNeeds(scenario.target.config, variant) : []),
    ...(agent?.env ?? []),
    ...models.flatMap((model) => modelKeys(model, config.models, scenario.judge.apiKeys)),
  ];
  return {
    tags: unique([...config.worker.tags, ...(scenario.workerTags ?? [])]),
    agents: [...(agent?.agents ?? [])],
    env: unique(variables),
    protocol: protocolVersion,
  };
}

/** Models that take part in the trial itself: one that uses the tools of a server, or that plays the user. */
function playersOf({ target }: Scenario, { agent, model, persona }: Variant, context: NeedsContext): string[] {
  if (target.type === 'mcp-workflow') return agent === undefined && model !== undefined ? [model] : [];
  if (target.type !== 'conversation') return [];
  const personas = isRecord(target.config) && isRecord(target.config.personas) ? target.config.personas : {};
  const { model: own = context.personaModel } = (persona === undefined ? {} : personas[persona]) as { model?: string };
  return own !== undefined && isPlayed(persona === undefined ? undefined : personas[persona]) ? [own] : [];
}

/** Models that decide approvals. */
function approversOf(scenario: Scenario, variant: Variant, { personaModel }: NeedsContext): string[] {
  const rules = approvalsOfTrial({ scenario, variant }) ?? [];
  return approvalJudges(rules).flatMap((model = personaModel) => model ?? []);
}

/** The bare model that a conversation is held with, where its connector reaches one through the providers. */
function bareModels({ target }: Scenario, { connector, model }: Variant): string[] {
  if (target.type !== 'conversation') return [];
  const spec = connectorOf(target.config as ConversationConfig, connector);
  const named = model ?? (isRecord(spec?.config) ? spec.config.model : undefined);
  return spec?.type === 'model' && typeof named === 'string' ? [named] : [];
}

/** A persona without fixed messages, or with a description, is played by a model. */
function isPlayed(persona: unknown): boolean {
  if (!isRecord(persona)) return false;
  const isDescribed = ['description', 'systemPrompt', 'goal', 'stopWhen', 'facts', 'toolLoop', 'model'].some(
    (key) => key in persona,
  );
  return isDescribed || !Array.isArray(persona.messages) || persona.messages.length === 0;
}

/** Settings of a target in which `${VAR}` is expanded when it is opened; elsewhere it is text, or the shell's. */
const expandedSettings = ['url', 'headers', 'env', 'server', 'mcpServers'];

function targetVariables({ target, file, directory }: Scenario, { env }: NeedsContext): string[] {
  const config = isRecord(target.config) ? target.config : {};
  const credentials = serversIn(config).flatMap(oauthVariables);
  const named = [...credentials, ...expandedSettings.flatMap((key) => variablesIn(config[key]))];
  if (!target.type.startsWith('mcp-')) return named;
  // Variables are expanded when a file is read, so only the file itself names them; except for the key of the
  // judge, which matters only where a judge runs.
  const text = textOf(join(directory, basename(file))).replace(/openaiKey["']?\s*[:=]\s*["']?\$\{[^}]+\}/g, '');
  return [...named, ...variablesIn(text).filter((name) => env[name])];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** Who may use what at the same time, for the trials of a scenario under a variant: over all workers of all runs. */
export function limitsOf(
  scenario: Scenario,
  variant: Variant,
  { runId, project, judges }: { readonly runId: string; readonly project: Project; readonly judges: readonly string[] },
): Limits {
  const models = [...(variant.model === undefined ? [] : [variant.model]), ...judges];
  const used = [
    ...models.map((model) => `provider:${model.split('/')[0]}`),
    ...targetNames(scenario, variant).map((name) => `target:${name}`),
  ];
  const limits = Object.entries(project.config.limits).filter(([name]) => used.includes(name));
  // A server that only one trial may use at a time stays exclusive across machines.
  const shared = scenario.shares === undefined ? [] : [[`shared:${runId}:${scenario.shares}`, 1] as const];
  return Object.fromEntries([...limits, ...shared].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Names of a target: its kind, its connector, and the name in its settings. */
function targetNames({ target }: Scenario, { connector }: Variant): string[] {
  const config = isRecord(target.config) ? target.config : {};
  const named = [config.name, config.binary, isRecord(config.server) ? config.server.name : undefined];
  return [target.type, connector, ...named].filter((name) => typeof name === 'string');
}

/**
 * The variables that must be set to call a model; `A|B` where one of the two is enough. An unknown model needs none: it
 * is reported when it is called.
 */
function modelKeys(
  name: string,
  config: ModelsConfig,
  apiKeys: Readonly<Record<string, string>> = {},
): readonly string[] {
  const model = resolved(name, config);
  if (!model) return [];
  const { provider, providerName } = model;
  const settings = [providerName, ...settingsNames(provider)].map((key) => config.providers[key]).find(Boolean);
  const around = [...variablesIn(settings?.baseUrl), ...variablesIn(settings?.headers)];
  const written = apiKeys[providerName] ?? settings?.apiKey;
  const mentioned = variablesIn(written);
  if (written !== undefined && mentioned.length === 0) return around;
  const [only, ...others] = mentioned;
  if (others.length > 0) return [...around, ...mentioned];
  // A key that the settings name but that is not set leaves it to the usual variables.
  const choices = [
    ...new Set([...(only === undefined ? [] : [only]), ...(provider.needsKey ? keyChoices(provider) : [])]),
  ];
  return choices.length === 0 ? around : [...around, choices.join('|')];
}

function keyChoices({ keyVariables, environment }: Provider): readonly string[] {
  return [...keyVariables, ...(environment?.credentialVariables.slice(0, 1) ?? [])];
}

/** The model of a name; undefined for an unknown name. */
function resolved(name: string, config: ModelsConfig): ResolvedModel | undefined {
  try {
    return resolveModel(name, config);
  } catch {
    return undefined;
  }
}

/** Requirements of an agent on its machine. */
interface AgentNeeds {
  readonly agents: readonly string[];
  readonly env: readonly string[];
}

/** An agent that a command of the project starts, or that has a version, need not be installed; its settings may need variables. */
function agentNeeds(id: string, model: string | undefined, { config, parts }: Project): AgentNeeds {
  const settings = config.agents[id];
  const kinds = [...agentKinds, ...parts.agents];
  const byName = (name: string): AgentKind | undefined => kinds.find((kind) => kind.name === name);
  const kind = byName(settings?.kind ?? id) ?? (settings?.command === undefined ? undefined : byName('command'));
  // An unknown agent may be one that only a worker has.
  if (!kind) return { agents: [id], env: [] };
  const isInstalled =
    kind.program !== null && settings?.version === undefined && (settings?.command ?? kind.program) === kind.program;
  const { command, baseUrl, apiKey, env = {}, args } = settings ?? {};
  const mentioned = variablesIn([command, baseUrl, apiKey, env, args]);
  const hasKey = apiKey !== undefined || kind.keyVariables.some((variable) => variable in env);
  return {
    agents: isInstalled ? [kind.name] : [],
    env: hasKey ? mentioned : [...mentioned, ...keysFor(kind, model ?? settings?.model, config.models)],
  };
}

/** Of an agent that takes models of several providers, the key of the provider in use. */
function keysFor(kind: AgentKind, model: string | undefined, models: Project['config']['models']): string[] {
  const provider = model === undefined ? undefined : resolved(model, models)?.provider;
  const ofProvider = kind.keyVariables.filter((name) => provider?.keyVariables.includes(name));
  const choices = ofProvider.length > 0 ? ofProvider : kind.keyVariables;
  return choices.length === 0 ? [] : [choices.join('|')];
}

/** Connectors that use a provider's key, unless another address or other headers are configured. */
const keysOfProviders: Readonly<Record<string, string>> = {
  'openai-chat': 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** The variables that a conversation needs under a variant: those of its connector and of who talks to it. */
function conversationNeeds(config: unknown, { connector, persona }: Variant): string[] {
  const { personas } = config as ConversationConfig;
  const spec = connectorOf(config as ConversationConfig, connector);
  const { headers, toolLoop } = (persona === undefined ? undefined : personas[persona]) ?? {};
  return [...(spec ? connectorVariables(spec) : []), ...variablesIn([headers, toolLoop])];
}

/** The connector of that name; the only one where no name is given. */
function connectorOf({ connectors }: ConversationConfig, name: string | undefined): ConnectorSpec | undefined {
  const [only = '', ...others] = Object.keys(connectors);
  return connectors[name ?? (others.length === 0 ? only : '')];
}

function connectorVariables({ type, baseUrl, headers, toolLoop, config }: ConnectorSpec): string[] {
  const key = keysOfProviders[type];
  const hasOwn = baseUrl !== undefined || Object.keys(headers).some((name) => /auth|key/i.test(name));
  return [...variablesIn([baseUrl, headers, toolLoop, config]), ...(key === undefined || hasOwn ? [] : [key])];
}
