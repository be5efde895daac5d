import { openaiEmbeddings } from '../embeddings.ts';
import { type Provider, plainProvider, withPathOnHost } from '../provider.ts';
import { openaiModel } from './openai.ts';

/** Azure OpenAI by its v1 API; a model is the name of a deployment. */
export const azure: Provider = {
  ...plainProvider,
  name: 'azure',
  aliases: ['azure-openai'],
  summary: 'Azure OpenAI, by its v1 API; the model is the name of your deployment',
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  baseUrlVariable: 'AZURE_OPENAI_ENDPOINT',
  priceName: 'azure',
  completeBaseUrl: (baseUrl) => withPathOnHost(baseUrl, 'openai/v1'),
  // Azure takes keys in its own header, and reads `authorization` as a token of Entra ID.
  open: (model, { apiKey, headers, ...connection }) =>
    openaiModel(model, { ...connection, headers: { ...headers, 'api-key': apiKey } }),
  openEmbedding: (model, { baseUrl, apiKey, headers, send }) =>
    openaiEmbeddings({ model, baseUrl, headers: { ...headers, 'api-key': apiKey }, send }),
};
