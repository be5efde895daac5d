import { withVersionOnHost } from '../base-url.ts';
import type { Provider } from '../provider.ts';
import { isStrictSchema } from '../strict-schema.ts';

/** OpenAI; its chat API unless the config says `api: responses`. */
export const openai: Provider = {
  name: 'openai',
  aliases: [],
  summary: 'OpenAI, by its chat completions',
  settingsNames: [],
  modelPrefixes: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4'],
  knownModels: ['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o3'],
  keyVariables: ['OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  defaultBaseUrl: 'https://api.openai.com/v1',
  needsKey: true,
  priceName: 'openai',
  completeBaseUrl: (baseUrl) => withVersionOnHost(baseUrl, 'v1'),
  async open(model, { baseUrl, apiKey, headers, fetch, config }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const sdk = createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch });
    return config.api === 'responses' ? sdk.responses(model) : sdk.chat(model);
  },
  // What is asked in an evaluation is not for the provider to keep.
  optionsFor: ({ output }) => ({ openai: { store: false, strictJsonSchema: isStrictSchema(output?.schema) } }),
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
