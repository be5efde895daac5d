import { approvalJudges } from '../../domain/approval-policy.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { PartSpec, Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import type { AgentKind } from '../../drive/agents/agent.ts';
import type { ConversationConfig } from '../../drive/conversation/conversation-config.ts';
import type { ModelsConfig } from '../../drive/models/models-config.ts';
import type { Project } from '../config/project.ts';
import type { ProjectJudging } from '../judge/judging.ts';

/** Spending limit of the environment, as in llm-tool-test. */
export function budgetIn({
  LLM_TOOL_TEST_BUDGET_USD: written,
}: Readonly<Record<string, string | undefined>>): number | undefined {
  if (!written) return undefined;
  const usd = Number(written);
  if (Number.isFinite(usd) && usd >= 0) return usd;
  throw new AssayError('USAGE', `LLM_TOOL_TEST_BUDGET_USD must be an amount in US dollars, not "${written}".`);
}

const consequences: Readonly<Record<Exclude<AgentKind['reports']['usage'], 'live'>, string>> = {
  'at-end': 'reports its cost only when it ends, so it is not stopped at the limit',
  never: 'reports neither tokens nor cost, so the limit is not enforced',
  unknown: 'may not report its cost while it works, so it may exceed the limit before it is stopped',
};

/** Cost limits that cannot be enforced, because the agent does not report its cost while it works. */
export async function costLimitWarnings(
  scenarios: readonly Scenario[],
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Problem[]> {
  const limited = scenarios.filter(({ target }) => maxUsdOf(target.config) !== undefined);
  if (limited.length === 0) return [];
  const { agentKinds } = await import('../../drive/agents/index.ts');
  const { agentRoutes } = await import('../../drive/gateway/agent-routes.ts');
  const { agentSettings } = await import('../config/project-agents.ts');
  const kinds = new Map([...agentKinds, ...project.parts.agents].map((kind) => [kind.name, kind]));
  const kindOf = (agent: string): AgentKind | undefined => {
    const config = project.config.agents[agent];
    return kinds.get(config?.kind ?? agent) ?? (config?.command === undefined ? undefined : kinds.get('command'));
  };
  return limited.flatMap(({ file, variants, target }) => {
    const agents = new Set((variants ?? []).flatMap(({ agent }) => agent ?? []));
    return [...agents].flatMap((agent) => {
      const kind = kindOf(agent);
      if (!kind || kind.isScripted || kind.reports.usage === 'live') return [];
      // The gateway sees the requests themselves, and keeps the limit before they are sent.
      if (agentRoutes(kind, agentSettings(kind, agent, project, env), env).length > 0) return [];
      const message = `\`cost.max_usd\` is $${maxUsdOf(target.config)}, but the agent "${agent}" ${consequences[kind.reports.usage]}`;
      return [{ at: { file, line: 1, column: 1 }, message }];
    });
  });
}

function maxUsdOf(config: unknown): number | undefined {
  const { maxUsd } = (config ?? {}) as { readonly maxUsd?: unknown };
  return typeof maxUsd === 'number' ? maxUsd : undefined;
}

/** The APIs that connectors pay for, by the type of the connector. */
const providers: Readonly<Record<string, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
};

/** Refuses a run with a spending limit before anything is spent when one of its models has no price. */
export async function refuseUnpriced(
  scenarios: readonly Scenario[],
  project: Project,
  judging: Pick<ProjectJudging, 'modelNames' | 'personaModel'>,
): Promise<void> {
  const names = new Set<string>();
  for (const scenario of scenarios) {
    for (const name of await modelsOf(scenario, project, judging)) names.add(name);
  }
  if (names.size === 0) return;
  const { noPrice } = await import('../../drive/models/spending.ts');
  for (const name of names) {
    if (!(await isPriced(name, project.config.models))) throw noPrice(name);
  }
}

/** A model without a provider is refused when it is called, with a better reason. */
async function isPriced(name: string, config: ModelsConfig): Promise<boolean> {
  const { findPrice } = await import('../../drive/models/prices.ts');
  const { resolveModel } = await import('../../drive/models/resolve-model.ts');
  try {
    const { name: full, model, provider } = resolveModel(name, config);
    const wanted = { name: full, model, priceName: provider.priceName, baseUrl: undefined };
    return (await findPrice(wanted, config.prices)) !== null;
  } catch {
    return true;
  }
}

/** All models that a scenario prompts, beside those of coding agents. */
export async function modelsOf(
  scenario: Scenario,
  project: Project,
  judging: Pick<ProjectJudging, 'modelNames' | 'personaModel'>,
): Promise<string[]> {
  const names = judging.modelNames(scenario.judge);
  // Reads all rows of a dataset, so only where a name depends on it.
  const judges = names.length > 0 && (await isJudged(scenario, project)) ? names : [];
  const personaModel = judging.personaModel();
  const others = await Promise.all(
    scenario.variants.map(async (variant) => {
      if (scenario.target.type === 'conversation') return conversationModels(scenario, variant, personaModel);
      if (scenario.serverPart !== 'workflow' || variant.agent !== undefined) return [];
      const { usualWorkflowModel } = await import('../../drive/targets/mcp/workflow/workflow-target.ts');
      return [variant.model ?? usualWorkflowModel];
    }),
  );
  const { simulatedTools } = await import('../../drive/mcp/control/simulated-tools.ts');
  const playing = simulatedTools(scenario).map(({ model }) => model);
  const deciding = approvalJudges(scenario.approvals ?? []).flatMap((model = personaModel) => model ?? []);
  return [...judges, ...others.flat(), ...playing, ...deciding];
}

/** Whether a judge is used in any case: those of one scenario may be judged in different ways. */
export async function isJudged({ cases }: Scenario, project: Pick<Project, 'parts'>): Promise<boolean> {
  let before: readonly PartSpec[] | undefined;
  for await (const { evaluators } of cases()) {
    // Rows of a dataset share one list.
    if (evaluators !== before && asksJudge(evaluators, project)) return true;
    before = evaluators;
  }
  return false;
}

/** Whether one of these evaluators runs a judge. */
export function asksJudge(evaluators: readonly PartSpec[], { parts }: Pick<Project, 'parts'>): boolean {
  const judges = new Set(parts.evaluators.filter(({ needs }) => needs.includes('judge')).map(({ type }) => type));
  return evaluators.some(({ type }) => judges.has(type));
}

async function conversationModels(
  { target }: Scenario,
  { connector, persona: personaName, model }: Variant,
  personaModel: string | undefined,
): Promise<string[]> {
  const config = target.config as ConversationConfig;
  const specs = connector === undefined ? Object.values(config.connectors) : [config.connectors[connector]];
  const models = specs.flatMap((spec) => {
    const provider = spec && providers[spec.type];
    const named = model ?? (spec?.config as { readonly model?: string } | undefined)?.model;
    if (spec?.type === 'model' && named !== undefined) return [named];
    if (provider === undefined || named === undefined) return [];
    return named.startsWith(`${provider}/`) ? [named] : [`${provider}/${named}`];
  });
  const { isPlayed } = await import('../../drive/conversation/speaker.ts');
  const persona = personaName === undefined ? undefined : config.personas[personaName];
  const player = isPlayed({ config, persona }) ? (persona?.model ?? personaModel) : undefined;
  return player === undefined ? models : [...models, player];
}
