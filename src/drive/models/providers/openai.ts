import type { JsonObject, WireRequest } from '../../wire/codec.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import { writeChatRequest } from '../../wire/openai-chat/request.ts';
import { openaiResponses as responses } from '../../wire/openai-responses/codec.ts';
import { openaiEmbeddings } from '../embeddings.ts';
import { httpModel } from '../http-model.ts';
import { type Connection, type Provider, plainProvider, type ReplyModel, withPathOnHost } from '../provider.ts';
import { writeOpenaiRequest, writeResponsesRequest, writeWithoutSchema } from './openai-requests.ts';

/** OpenAI; its chat API unless the config says `api: responses`. */
export const openai: Provider = {
  ...plainProvider,
  name: 'openai',
  summary: 'OpenAI, by its chat completions',
  modelPrefixes: ['gpt-', 'ft:', 'chatgpt-', 'o1', 'o3', 'o4', 'text-embedding-'],
  knownModels: ['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o3'],
  keyVariables: ['OPENAI_API_KEY'],
  baseUrlVariable: 'OPENAI_BASE_URL',
  defaultBaseUrl: 'https://api.openai.com/v1',
  priceName: 'openai',
  completeBaseUrl: (baseUrl) => withPathOnHost(baseUrl, 'v1'),
  open: (model, connection) => openaiModel(model, { ...connection, headers: keyHeaders(connection) }),
  openEmbedding: (model, connection) => openaiEmbeddings({ ...connection, model, headers: keyHeaders(connection) }),
  batches: { priceShare: 0.5, open: async () => (await import('../batch/openai-batches.ts')).openaiBatches },
};

/** OpenAI by its Responses API. */
export const openaiResponses: Provider = {
  ...openai,
  name: 'openai-responses',
  summary: 'OpenAI, by its Responses API',
  settingsOf: 'openai',
  modelPrefixes: [],
  open: (model, connection) =>
    openai.open(model, { ...connection, config: { ...connection.config, api: 'responses' } }),
};

/** Any server that speaks OpenAI's chat API, under a name of the user's own. */
export const openaiCompatible: Provider = {
  ...plainProvider,
  name: 'openai-compatible',
  summary: 'a server that speaks the chat API of OpenAI, such as a local one',
  needsKey: false,
  completeBaseUrl: (baseUrl) => withPathOnHost(baseUrl, 'v1'),
  open: (model, connection) =>
    chatModel(
      model,
      { ...connection, headers: keyHeaders(connection) },
      connection.config.structuredOutputs ? writeChatRequest : writeWithoutSchema,
    ),
  openEmbedding: (model, connection) => openaiEmbeddings({ ...connection, model, headers: keyHeaders(connection) }),
};

function keyHeaders({ apiKey, headers }: Connection): Record<string, string> {
  return { ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }), ...headers };
}

/** A connection whose headers say who sends the requests. */
type Authorized = Pick<Connection, 'baseUrl' | 'send' | 'headers' | 'config'>;

/** A model of OpenAI, by the API that the config names. */
export function openaiModel(model: string, connection: Authorized): ReplyModel {
  if (connection.config.api !== 'responses') return chatModel(model, connection, writeOpenaiRequest);
  const { baseUrl, headers, send } = connection;
  return httpModel({
    ...{ model, codec: responses, url: `${baseUrl}/responses`, headers, send, write: writeResponsesRequest },
  });
}

function chatModel(
  model: string,
  { baseUrl, headers, send }: Authorized,
  write: (request: WireRequest) => JsonObject,
): ReplyModel {
  return httpModel({ model, codec: openaiChat, url: `${baseUrl}/chat/completions`, headers, send, write });
}
