import type { Scenario } from '../domain/scenario.ts';
import type { Variant } from '../domain/trial.ts';
import type { ModelsConfig } from '../drive/models/models-config.ts';
import type { ConversationConfig } from '../drive/targets/conversation/conversation-config.ts';
import type { Project } from './config.ts';
import type { ProjectJudging } from './judging.ts';

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
  judging: Pick<ProjectJudging, 'modelNames'>,
): Promise<void> {
  const names = new Set<string>();
  for (const scenario of scenarios) {
    for (const name of await modelsOf(scenario, project, judging)) names.add(name);
  }
  if (names.size === 0) return;
  const { noPrice } = await import('../drive/models/spending.ts');
  for (const name of names) {
    if (!(await isPriced(name, project.config.models))) throw noPrice(name);
  }
}

/** A model that no provider is known for is refused when it is asked, with a better reason. */
async function isPriced(name: string, config: ModelsConfig): Promise<boolean> {
  const { findPrice } = await import('../drive/models/prices.ts');
  const { resolveModel } = await import('../drive/models/resolve-model.ts');
  try {
    const { name: full, model, provider } = resolveModel(name, config);
    const wanted = { name: full, model, priceName: provider.priceName, baseUrl: undefined };
    return (await findPrice(wanted, config.prices)) !== null;
  } catch {
    return true;
  }
}

async function modelsOf(
  scenario: Scenario,
  project: Project,
  judging: Pick<ProjectJudging, 'modelNames'>,
): Promise<string[]> {
  const judges = (await isJudged(scenario, project)) ? judging.modelNames(scenario.judge) : [];
  const [personaModel] = judging.modelNames({ models: [], samples: undefined });
  const others = await Promise.all(
    scenario.variants.map(async (variant) => {
      if (scenario.target.type === 'conversation') return conversationModels(scenario, variant, personaModel);
      if (scenario.serverPart !== 'workflow' || variant.agent !== undefined) return [];
      const { usualWorkflowModel } = await import('../drive/targets/mcp/workflow/workflow-target.ts');
      return [variant.model ?? usualWorkflowModel];
    }),
  );
  return [...judges, ...others.flat()];
}

/** Cases of a scenario are judged alike, or have evaluators beside those of the first. */
async function isJudged({ cases }: Scenario, { parts }: Project): Promise<boolean> {
  const judges = new Set(parts.evaluators.filter(({ needs }) => needs.includes('judge')).map(({ type }) => type));
  for await (const { evaluators } of cases()) return evaluators.some(({ type }) => judges.has(type));
  return false;
}

async function conversationModels(
  { target }: Scenario,
  { connector, persona: personaName, model }: Variant,
  personaModel: string | undefined,
): Promise<string[]> {
  const config = target.config as ConversationConfig;
  const specs = connector === undefined ? Object.values(config.connectors) : [config.connectors[connector]];
  const asked = specs.flatMap((spec) => {
    const provider = spec && providers[spec.type];
    const named = model ?? (spec?.config as { readonly model?: string } | undefined)?.model;
    if (provider === undefined || named === undefined) return [];
    return named.startsWith(`${provider}/`) ? [named] : [`${provider}/${named}`];
  });
  const { isPlayed } = await import('../drive/targets/conversation/speaker.ts');
  const persona = personaName === undefined ? undefined : config.personas[personaName];
  const player = isPlayed({ config, persona }) ? (persona?.model ?? personaModel) : undefined;
  return player === undefined ? asked : [...asked, player];
}
