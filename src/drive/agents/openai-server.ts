import { AssayError } from '../../domain/errors.ts';
import type { AgentSession } from './agent.ts';

/** Where the models of OpenAI itself are reached. */
export const openaiUrl = 'https://api.openai.com/v1';

/** Where the session's model is reached in the manner of OpenAI; undefined when nothing names an address. */
export function openaiBaseUrl({ settings, env }: AgentSession): string | undefined {
  return settings.baseUrl ?? settings.env.OPENAI_BASE_URL ?? env.OPENAI_BASE_URL;
}

/** The key for that address, for an agent that reads it from its settings file only. */
export function openaiKey({ settings, env }: AgentSession): string {
  return settings.apiKey ?? settings.env.OPENAI_API_KEY ?? env.OPENAI_API_KEY ?? '';
}

/** The model, for an agent that has none by itself. */
export function modelOf({ model }: AgentSession, agent: string): string {
  if (model !== undefined) return model;
  throw new AssayError('MODEL_UNKNOWN', `the agent \`${agent}\` needs to be told a model`, {
    hint: 'Name the model of the agent, such as gpt-4o-mini, in the config or with --model.',
  });
}
