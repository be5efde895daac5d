import { withDirectCalls } from '../direct-calls.ts';
import type { Provider } from '../provider.ts';
import { hasStrictSchema } from './openai.ts';
import { readPlainChatAnswer } from './plain-chat-answer.ts';

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
    const { createOpenAI } = await import('@ai-sdk/openai');
    const send = withKey(fetch, apiKey);
    const sdk = (through: typeof fetch) => createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: through });
    if (config.api === 'responses') return sdk(send).responses(model);
    return withDirectCalls(send, readPlainChatAnswer, (through) => sdk(through).chat(model));
  },
  async openEmbedding(model, { baseUrl, apiKey, headers, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: withKey(fetch, apiKey) }).embedding(model);
  },
  optionsFor: (request) => ({ openai: { store: false, strictJsonSchema: hasStrictSchema(request) } }),
};

function withKey(fetch: typeof globalThis.fetch, apiKey: string): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, headers: keyHeaders(init?.headers, apiKey) });
}

/** Azure takes keys in its own header, and reads `authorization` as a token of Entra ID. */
function keyHeaders(headers: RequestInit['headers'], apiKey: string): Record<string, string> {
  const { authorization: _, ...others } = Object.fromEntries(new Headers(headers));
  return { ...others, 'api-key': apiKey };
}
