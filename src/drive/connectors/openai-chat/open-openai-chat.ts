import type { Message } from '../../../domain/message.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorSettings } from '../connector.ts';
import { ChatStream } from '../wire/chat-stream.ts';
import { openProviderConnector, type ProviderLanguage } from '../wire/open-provider-connector.ts';
import { openaiApi } from '../wire/openai-api.ts';
import { mergeNeighbours, withToolResults } from '../wire/outgoing-messages.ts';
import type { ProviderConfig } from '../wire/provider-config.ts';
import { openProvider } from '../wire/provider-endpoint.ts';
import { readChatCompletion } from '../wire/read-chat-completion.ts';

/** Opens a connection to an agent that speaks chat completions. */
export function openOpenaiChat(
  config: ProviderConfig,
  settings: ConnectorSettings,
  { env, account }: Pick<TargetContext, 'env' | 'account'>,
): Connector {
  const api = { ...openaiApi, type: 'openai-chat', path: 'chat/completions' };
  const provider = openProvider(api, config, settings, env);
  const language: ProviderLanguage = {
    outputLimit: provider.isProvider ? 'max_completion_tokens' : 'max_tokens',
    bodyOf: (request, model) => bodyOf(request, model, config, provider.isProvider),
    createReader: () => (config.stream ? new ChatStream() : undefined),
    read: readChatCompletion,
  };
  return openProviderConnector(provider, language, account);
}

function bodyOf(
  { messages }: ConnectorRequest,
  model: string,
  { instructions, system, tools, temperature, maxTokens, stream, body }: ProviderConfig,
  isProvider: boolean,
): Record<string, unknown> {
  const prompt = instructions ?? system;
  // OpenAI has given it a new name, which most others who speak this language do not know.
  const limit = isProvider ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    messages: [
      ...(prompt === undefined ? [] : [{ role: 'system', content: prompt }]),
      ...mergeNeighbours(withToolResults(messages)).map(wireMessage),
    ],
    ...(tools && { tools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [limit]: maxTokens }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...body,
  };
}

function wireMessage({ role, content, tool_calls, tool_call_id, name }: Message): unknown {
  if (role === 'tool') return { role, tool_call_id, content: content ?? '' };
  return { role, content, ...(tool_calls && { tool_calls }), ...(name !== undefined && { name }) };
}
