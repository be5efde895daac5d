import * as z from 'zod';
import type { Provider } from '../models/provider.ts';
import { anthropic, anthropicVersion } from '../models/providers/anthropic.ts';
import { openai } from '../models/providers/openai.ts';
import { anthropicMessages } from '../wire/anthropic-messages/codec.ts';
import type { Codec } from '../wire/codec.ts';
import { openaiChat } from '../wire/openai-chat/codec.ts';
import { openaiResponses } from '../wire/openai-responses/codec.ts';
import { type ConnectorKind, defineConnector } from './connector.ts';

/** Config of a connector to a provider's API; the type of the connector chooses the API. */
const providerConfigSchema = () =>
  z.strictObject({
    model: z.string().min(1).optional().describe('model to prompt; the model of a variant takes precedence'),
    instructions: z.string().optional().describe('the system prompt of the agent'),
    system: z.string().optional().describe('the same as `instructions`'),
    tools: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('tools offered to the agent, as this API writes them; they are not run'),
    temperature: z.number().min(0).max(2).optional().describe('sampling temperature of the model'),
    maxTokens: z.int().min(1).optional().describe('most tokens of an answer'),
    stream: z.boolean().default(false).describe('stream the answer, to measure the time to the first token'),
    body: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('further fields of the request, as this API names them'),
  });
export type ProviderConfig = z.output<ReturnType<typeof providerConfigSchema>>;

/** An API of a provider that other servers offer too. */
export interface ProviderApi {
  /** Of the connector. */
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  readonly codec: Codec;
  readonly provider: Provider;
  readonly path: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** With any of these headers no key is needed. */
  readonly authHeaders: readonly string[];
  keyHeaders(key: string): Readonly<Record<string, string>>;
  /** The field of a request that limits the length of its answer, at the provider itself or at another server. */
  outputLimit(isProvider: boolean): string;
  /** True where messages of one side that follow one another are sent as one. */
  readonly mergesMessages?: true;
  /** Between the texts of one answer. */
  readonly textSeparator: string;
  /** True where the endpoint keeps the conversation, and each turn refers to the response before it. */
  readonly keepsConversation?: true;
}

const ofOpenai = {
  provider: openai,
  authHeaders: ['authorization', 'api-key'],
  keyHeaders: (key: string) => ({ authorization: `Bearer ${key}` }),
  mergesMessages: true as const,
};

export const openaiChatConnector = providerConnector({
  ...ofOpenai,
  type: 'openai-chat',
  label: 'OpenAI chat completions',
  summary: "an agent or a model that speaks OpenAI's chat completions",
  codec: openaiChat,
  path: 'chat/completions',
  outputLimit: (isProvider) => (isProvider ? 'max_completion_tokens' : 'max_tokens'),
  textSeparator: '',
});

export const openaiResponsesConnector = providerConnector({
  ...ofOpenai,
  type: 'openai-responses',
  label: 'OpenAI responses',
  summary: "an agent or a model that speaks OpenAI's Responses, and keeps the conversation itself",
  codec: openaiResponses,
  path: 'responses',
  outputLimit: () => 'max_output_tokens',
  textSeparator: '\n',
  keepsConversation: true,
});

export const anthropicConnector = providerConnector({
  type: 'anthropic',
  label: 'Anthropic messages',
  summary: "an agent or a model that speaks Anthropic's Messages",
  codec: anthropicMessages,
  provider: anthropic,
  path: 'messages',
  headers: anthropicVersion,
  authHeaders: ['x-api-key', 'authorization'],
  keyHeaders: (key) => ({ 'x-api-key': key }),
  outputLimit: () => 'max_tokens',
  textSeparator: '',
});

function providerConnector(api: ProviderApi): ConnectorKind {
  const { type, label, summary } = api;
  return defineConnector({
    ...{ type, label, summary },
    reports: ['tool-calls', 'usage', 'latency', 'streaming'],
    isRepeatable: true,
    offersTools: true,
    sendsFiles: true,
    configSchema: providerConfigSchema,
    async open(config, settings, context) {
      // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
      const { openProviderConnector } = await import('./wire/provider-connector.ts');
      return openProviderConnector(api, config, settings, context);
    },
  });
}
