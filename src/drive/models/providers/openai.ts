import { isRecord } from '../../../shared/json.ts';
import { withDirectCalls } from '../direct-calls.ts';
import type { ModelRequest } from '../model.ts';
import { type Provider, withVersionOnHost } from '../provider.ts';
import { readPlainChatAnswer } from './plain-chat-answer.ts';

/** Whether a JSON Schema keeps the rules of OpenAI's strict mode: all properties required, and no others allowed. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isRecord(schema)) return true;
  const { properties, required } = schema;
  if (schema.type === 'object' || isRecord(properties)) {
    const names = isRecord(properties) ? Object.keys(properties) : [];
    const areRequired = names.every((name) => Array.isArray(required) && required.includes(name));
    if (schema.additionalProperties !== false || !areRequired) return false;
  }
  return Object.values(schema).every(isStrictSchema);
}

const strictSchemas = new WeakMap<object, boolean>();

/** The same for the schema of a request; many requests have one schema, which is looked through once. */
export function hasStrictSchema({ output }: ModelRequest): boolean {
  if (!output) return true;
  const isStrict = strictSchemas.get(output.schema) ?? isStrictSchema(output.schema);
  strictSchemas.set(output.schema, isStrict);
  return isStrict;
}

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
    const { createOpenAI } = await import('@ai-sdk/openai');
    const sdk = (through: typeof fetch) => createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: through });
    if (config.api === 'responses') return sdk(fetch).responses(model);
    return withDirectCalls(fetch, readPlainChatAnswer, (through) => sdk(through).chat(model));
  },
  async openEmbedding(model, { baseUrl, apiKey, headers, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch }).embedding(model);
  },
  batches: { priceShare: 0.5, open: async () => (await import('../batch/openai-batches.ts')).openaiBatches },
  // The provider need not keep the requests of an evaluation.
  optionsFor: (request) => ({ openai: { store: false, strictJsonSchema: hasStrictSchema(request) } }),
};

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
  async open(model, { name, baseUrl, apiKey, headers, fetch, config }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const settings = { name, baseURL: baseUrl, apiKey, headers, supportsStructuredOutputs: config.structuredOutputs };
    return withDirectCalls(fetch, readPlainChatAnswer, (through) =>
      createOpenAICompatible({ ...settings, fetch: through })(model),
    );
  },
  async openEmbedding(model, { name, baseUrl, apiKey, headers, fetch }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name, baseURL: baseUrl, apiKey, headers, fetch }).embeddingModel(model);
  },
  optionsFor: (request) => ({ openaiCompatible: { strictJsonSchema: hasStrictSchema(request) } }),
};
