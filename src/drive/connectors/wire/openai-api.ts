import type { ProviderApi } from './provider-endpoint.ts';

/** What all of OpenAI's APIs have in common. */
export const openaiApi: Omit<ProviderApi, 'type' | 'path'> = {
  provider: 'openai',
  defaultBaseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
  authHeaders: ['authorization', 'api-key'],
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  // Others serve this API below any path, so only a bare host is completed.
  completeBaseUrl: (baseUrl) => (/^https?:\/\/[^/]+$/.test(baseUrl) ? `${baseUrl}/v1` : baseUrl),
};
