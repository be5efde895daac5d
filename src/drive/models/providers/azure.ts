import { openaiResponses } from '../../wire/openai-responses/codec.ts';
import type { Provider } from '../provider.ts';
import { chatModel, writeOpenaiRequest } from './chat-model.ts';
import { openaiOptions } from './openai.ts';

/** Azure OpenAI by its v1 API; a model is the name of a deployment. */
export const azure: Provider = {
  name: 'azure',
  aliases: ['azure-openai'],
  summary: 'Azure OpenAI, by its v1 API; the model is the name of your deployment',
  settingsNames: ['azure-openai'],
  modelPrefixes: [],
  knownModels: [],
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  baseUrlVariable: 'AZURE_OPENAI_ENDPOINT',
  defaultBaseUrl: undefined,
  needsKey: true,
  priceName: 'azure',
  completeBaseUrl(baseUrl) {
    const trimmed = baseUrl.replace(/\/+$/, '');
    return /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/openai/v1` : trimmed;
  },
  async open(model, { baseUrl, apiKey, headers, fetch, config }) {
    const send = withKey(fetch, apiKey);
    if (config.api !== 'responses') return chatModel(model, { baseUrl, fetch: send, headers }, writeOpenaiRequest);
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { sdkModel } = await import('../sdk-model.ts');
    const sdk = createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: send });
    return sdkModel(sdk.responses(model), openaiResponses, openaiOptions);
  },
  async openEmbedding(model, { baseUrl, apiKey, headers, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: withKey(fetch, apiKey) }).embedding(model);
  },
};

function withKey(fetch: typeof globalThis.fetch, apiKey: string): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, headers: keyHeaders(init?.headers, apiKey) });
}

/** Azure takes keys in its own header, and reads `authorization` as a token of Entra ID. */
function keyHeaders(headers: RequestInit['headers'], apiKey: string): Record<string, string> {
  const { authorization: _, ...others } = Object.fromEntries(new Headers(headers));
  return { ...others, 'api-key': apiKey };
}
