import type { JsonObject, WireRequest } from '../../wire/codec.ts';
import { gemini } from '../../wire/gemini/codec.ts';
import { geminiEmbeddings } from '../embeddings.ts';
import { httpModel } from '../http-model.ts';
import { type Provider, plainProvider, withVersion } from '../provider.ts';

/** Google's Gemini API. */
export const google: Provider = {
  ...plainProvider,
  name: 'google',
  aliases: ['gemini'],
  summary: 'Google, by its Gemini API',
  modelPrefixes: ['gemini-'],
  knownModels: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  priceName: 'google',
  completeBaseUrl: (baseUrl) => withVersion(baseUrl, 'v1beta'),
  open: (model, { baseUrl, apiKey, headers, send }) =>
    httpModel({
      ...{ model, codec: gemini, url: `${baseUrl}/models/${model}:generateContent`, send, write: writeGeminiRequest },
      headers: { 'x-goog-api-key': apiKey, ...headers },
    }),
  openEmbedding: (model, { baseUrl, apiKey, headers, send }) =>
    geminiEmbeddings({ model, baseUrl, headers: { 'x-goog-api-key': apiKey, ...headers }, send }),
};

/** Gemma has no system prompt, so its first message begins with it. */
function writeGeminiRequest({ system, messages, ...request }: WireRequest): JsonObject {
  const [first, ...others] = messages;
  if (system === '' || !first || !/^gemma-/i.test(request.model))
    return gemini.writeRequest({ ...request, system, messages });
  const parts = [{ kind: 'text' as const, text: `${system}\n\n` }, ...first.parts];
  return gemini.writeRequest({ ...request, system: '', messages: [{ ...first, parts }, ...others] });
}
