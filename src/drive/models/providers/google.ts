import { gemini } from '../../wire/gemini/codec.ts';
import { type Provider, withVersion } from '../provider.ts';

/** Google's Gemini API. */
export const google: Provider = {
  name: 'google',
  aliases: ['gemini'],
  summary: 'Google, by its Gemini API',
  settingsNames: ['gemini'],
  modelPrefixes: ['gemini-'],
  knownModels: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  needsKey: true,
  priceName: 'google',
  completeBaseUrl: (baseUrl) => withVersion(baseUrl, 'v1beta'),
  async open(model, { baseUrl, apiKey, headers, fetch }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const { sdkModel } = await import('../sdk-model.ts');
    return sdkModel(createGoogleGenerativeAI({ baseURL: baseUrl, apiKey, headers, fetch })(model), gemini);
  },
  async openEmbedding(model, { baseUrl, apiKey, headers, fetch }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ baseURL: baseUrl, apiKey, headers, fetch }).embedding(model);
  },
};
