import * as z from 'zod';
import type { Codec, JsonObject, WireReply, WireRequest } from '../../wire/codec.ts';
import type { ConnectorRequest } from '../connector.ts';
import { wireMessages, wireTools } from './wire-messages.ts';

/** Config of a connector to a provider's API; the type of the connector chooses the API. */
export const providerConfigSchema = () =>
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

/** Address of a provider's API and how a request to it is authenticated. */
export interface ProviderApi {
  /** Of the connector. */
  readonly type: string;
  /** The prefix of its models where several providers are named together. */
  readonly provider: string;
  readonly defaultBaseUrl: string;
  readonly baseUrlVariable: string;
  readonly keyVariable: string;
  readonly path: string;
  /** With any of these headers no key is needed. */
  readonly authHeaders: readonly string[];
  keyHeaders(key: string): Readonly<Record<string, string>>;
  /** Adds the version to a base URL that has none. */
  completeBaseUrl(baseUrl: string): string;
}

/** How requests to one provider's API are written and its answers read. */
export interface ProviderProtocol {
  readonly codec: Codec;
  bodyOf(request: ConnectorRequest, model: string): JsonObject;
  /** The field of a request that limits the length of its answer. */
  readonly outputLimit: string;
  /** Between the texts of one answer. */
  readonly textSeparator: string;
  /** The thread that the endpoint keeps for the conversation, where it does. */
  threadOf?(reply: WireReply, request: ConnectorRequest): string | undefined;
}

/** A turn as codecs write it; the config has the rest. */
export function requestOf(
  { messages, files, tools: runTools }: Pick<ConnectorRequest, 'messages' | 'files' | 'tools'>,
  model: string,
  { instructions, system, tools, temperature, maxTokens, stream }: ProviderConfig,
): WireRequest {
  return {
    model,
    system: instructions ?? system ?? '',
    messages: wireMessages(messages, files),
    tools: wireTools(tools, runTools),
    temperature,
    maxOutputTokens: maxTokens,
    isStreaming: stream,
  };
}

/** Common to all of OpenAI's APIs. */
export const openaiApi: Omit<ProviderApi, 'type' | 'path'> = {
  provider: 'openai',
  defaultBaseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
  authHeaders: ['authorization', 'api-key'],
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  // Other servers offer this API below any path, so only a bare host is completed.
  completeBaseUrl: (baseUrl) => (/^https?:\/\/[^/]+$/.test(baseUrl) ? `${baseUrl}/v1` : baseUrl),
};
