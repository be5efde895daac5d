import { AssayError } from '../../domain/errors.ts';
import type { ModelApi } from '../../domain/trace-schema.ts';
import type { AgentKind, AgentModelApi, AgentSession, AgentSettings } from './agent.ts';

/** The variables that have a value. */
export function setVariables(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the user's environment and of the settings that an agent receives; it receives no others. */
export function agentEnvironment(kind: AgentKind, settings: AgentSettings, env: Environment): Record<string, string> {
  const inherited = kind.inheritedVariables.map((name) => [name, env[name]] as const);
  const keyVariable = kind.keyVariables[0];
  return {
    ...setVariables(Object.fromEntries(inherited)),
    ...(keyVariable === undefined ? {} : setVariables({ [keyVariable]: settings.apiKey })),
    ...settings.env,
  };
}

/** Where the models of OpenAI itself are reached. */
export const openaiUrl = 'https://api.openai.com/v1';

/** An agent that takes address and key of an OpenAI-compatible API from the usual variables. */
export function openaiApi(api: ModelApi, defaultUrl: string | null): AgentModelApi {
  return { api, defaultUrl, urlVariables: ['OPENAI_BASE_URL'], keyVariables: ['OPENAI_API_KEY'] };
}

/** Where the session's model is reached over an OpenAI-compatible API; undefined when no address is set. */
export function openaiBaseUrl({ settings, env }: AgentSession): string | undefined {
  return settings.baseUrl ?? settings.env.OPENAI_BASE_URL ?? env.OPENAI_BASE_URL;
}

/** The key for that address, for an agent that reads it from its settings file only. */
export function openaiKey({ settings, env }: AgentSession): string {
  return settings.apiKey ?? settings.env.OPENAI_API_KEY ?? env.OPENAI_API_KEY ?? '';
}

/** The model of the session, for an agent that has no default model. */
export function modelOf({ model }: AgentSession, agent: string): string {
  if (model !== undefined) return model;
  throw new AssayError('MODEL_UNKNOWN', `No model is set for the agent "${agent}".`, {
    hint: 'Set `model` of the agent in the config, or pass --model, such as --model gpt-4o-mini.',
  });
}
