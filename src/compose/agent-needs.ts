import type { AgentKind } from '../drive/agents/agent.ts';
import { agentKinds } from '../drive/agents/index.ts';
import { variablesIn } from '../shared/variables.ts';
import type { Project } from './config.ts';
import { resolved } from './model-keys.ts';

/** What must be on a machine for an agent to work there. */
export interface AgentNeeds {
  readonly agents: readonly string[];
  readonly env: readonly string[];
}

/** An agent that is started by a command of the project's own need not be installed; its settings may need variables. */
export function agentNeeds(id: string, model: string | undefined, { config, parts }: Project): AgentNeeds {
  const settings = config.agents[id];
  const kinds = [...agentKinds, ...parts.agents];
  const byName = (name: string): AgentKind | undefined => kinds.find((kind) => kind.name === name);
  const kind = byName(settings?.kind ?? id) ?? (settings?.command === undefined ? undefined : byName('command'));
  // Where nobody knows it, it is for a worker to say that it has it.
  if (!kind) return { agents: [id], env: [] };
  const isInstalled = kind.program !== null && (settings?.command ?? kind.program) === kind.program;
  const { command, baseUrl, apiKey, env = {}, args } = settings ?? {};
  const mentioned = variablesIn([command, baseUrl, apiKey, env, args]);
  const hasKey = apiKey !== undefined || kind.keyVariables.some((variable) => variable in env);
  return {
    agents: isInstalled ? [kind.name] : [],
    env: hasKey ? mentioned : [...mentioned, ...keysFor(kind, model ?? settings?.model, config.models)],
  };
}

/** Of an agent that takes models of several providers, the key of the one that is asked. */
function keysFor(kind: AgentKind, model: string | undefined, models: Project['config']['models']): string[] {
  const provider = model === undefined ? undefined : resolved(model, models)?.provider;
  const ofProvider = kind.keyVariables.filter((name) => provider?.keyVariables.includes(name));
  const choices = ofProvider.length > 0 ? ofProvider : kind.keyVariables;
  return choices.length === 0 ? [] : [choices.join('|')];
}
