import { type Message, messageText } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorSettings } from '../connector.ts';
import { openProviderConnector, type ProviderLanguage, type ReadAnswer } from '../wire/open-provider-connector.ts';
import type { ProviderConfig } from '../wire/provider-config.ts';
import { openProvider, type ProviderApi } from '../wire/provider-endpoint.ts';
import { readMessage } from '../wire/read-message.ts';
import { usageIn } from '../wire/token-usage.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { AnthropicStream } from './anthropic-stream.ts';

const defaultMaxTokens = 4_096;

const api: ProviderApi = {
  type: 'anthropic',
  provider: 'anthropic',
  path: 'messages',
  defaultBaseUrl: 'https://api.anthropic.com/v1',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariable: 'ANTHROPIC_API_KEY',
  authHeaders: ['x-api-key', 'authorization'],
  keyHeaders: (key) => ({ 'x-api-key': key }),
  completeBaseUrl: (baseUrl) => (/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`),
};

/** Opens a connection to an agent that speaks Anthropic's Messages. */
export function openAnthropic(
  config: ProviderConfig,
  settings: ConnectorSettings,
  { env, account }: Pick<TargetContext, 'env' | 'account'>,
): Connector {
  const headers = { 'anthropic-version': '2023-06-01', ...settings.headers };
  const language: ProviderLanguage = {
    outputLimit: 'max_tokens',
    bodyOf: (request, model) => bodyOf(request, model, config),
    createReader: () => (config.stream ? new AnthropicStream() : undefined),
    read: readReply,
  };
  return openProviderConnector(openProvider(api, config, { ...settings, headers }, env), language, account);
}

function bodyOf({ messages }: ConnectorRequest, model: string, config: ProviderConfig): Record<string, unknown> {
  const { tools, temperature, maxTokens = defaultMaxTokens, stream } = config;
  const lifted = messages.filter(({ role }) => role === 'system').map(messageText);
  const system = [config.instructions ?? config.system ?? '', ...lifted].filter((text) => text !== '').join('\n\n');
  return {
    model,
    max_tokens: maxTokens,
    ...(system !== '' && { system }),
    messages: anthropicMessages(messages),
    ...(tools && { tools }),
    ...(temperature !== undefined && { temperature }),
    ...(stream && { stream: true }),
    ...config.body,
  };
}

/** The text of all blocks as one message, because that is what everybody downstream looks at. */
function readReply(document: unknown): ReadAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.content)) return undefined;
  const message = readMessage({ ...document, role: 'assistant' });
  if (!message) return undefined;
  const text = messageText({ content: message.content });
  const content: Message['content'] = text === '' && message.tool_calls ? null : text;
  return {
    messages: [{ ...message, content }],
    tokenUsage: usageIn(document),
    ...(typeof document.model === 'string' && { model: document.model }),
  };
}
