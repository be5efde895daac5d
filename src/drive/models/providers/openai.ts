import { writeChatRequest } from '../../wire/openai-chat/request.ts';
import { openaiResponses as codec } from '../../wire/openai-responses/codec.ts';
import type { ModelRequest } from '../model.ts';
import { type Provider, withVersionOnHost } from '../provider.ts';
import { chatModel, writeOpenaiRequest } from './chat-model.ts';
import { hasStrictSchema } from './strict-schema.ts';

/** OpenAI; its chat API unless the config says `api: responses`. */
export const openai: Provider = {
  name: 'openai',
  aliases: [],
  summary: 'OpenAI, by its chat completions',
  settingsNames: [],
  modelPrefixes: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4', 'text-embedding-'],
  knownModels: ['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o3'],
  keyVariables: ['OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  defaultBaseUrl: 'https://api.openai.com/v1',
  needsKey: true,
  priceName: 'openai',
  completeBaseUrl: (baseUrl) => withVersionOnHost(baseUrl, 'v1'),
  async open(model, { baseUrl, apiKey, headers, fetch, config }) {
    if (config.api !== 'responses') {
      const sent = { authorization: `Bearer ${apiKey}`, ...headers };
      return chatModel(model, { baseUrl, fetch, headers: sent }, writeOpenaiRequest);
    }
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { sdkModel } = await import('../sdk-model.ts');
    return sdkModel(createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).responses(model), codec, openaiOptions);
  },
  async openEmbedding(model, { baseUrl, apiKey, headers, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).embedding(model);
  },
  batches: { priceShare: 0.5, open: async () => (await import('../batch/openai-batches.ts')).openaiBatches },
};

/** The provider need not keep the requests of an evaluation. */
export function openaiOptions(request: ModelRequest) {
  return { openai: { store: false, strictJsonSchema: hasStrictSchema(request) } };
}

/** OpenAI by its Responses API. */
export const openaiResponses: Provider = {
  ...openai,
  name: 'openai-responses',
  summary: 'OpenAI, by its Responses API',
  settingsNames: ['openai'],
  modelPrefixes: [],
  open: (model, connection) =>
    openai.open(model, { ...connection, config: { ...connection.config, api: 'responses' } }),
};

/** Any server that speaks OpenAI's chat API, under a name of the user's own. */
export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  aliases: [],
  summary: 'a server that speaks the chat API of OpenAI, such as a local one',
  settingsNames: [],
  modelPrefixes: [],
  knownModels: [],
  keyVariables: [],
  baseUrlVariable: undefined,
  defaultBaseUrl: undefined,
  needsKey: false,
  priceName: undefined,
  completeBaseUrl: (baseUrl) => withVersionOnHost(baseUrl, 'v1'),
  async open(model, { baseUrl, apiKey, headers, fetch, config }) {
    const sent = { ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }), ...headers };
    const connection = { baseUrl, fetch, headers: sent };
    if (config.structuredOutputs) return chatModel(model, connection, writeChatRequest);
    // Any JSON is the most that such a server can be made to answer with.
    return chatModel(model, connection, ({ output, ...request }) =>
      writeChatRequest({ ...request, ...(output && { output: { name: output.name } }) }),
    );
  },
  async openEmbedding(model, { name, baseUrl, apiKey, headers, fetch }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name, baseURL: baseUrl, apiKey, headers, fetch }).embeddingModel(model);
  },
};
