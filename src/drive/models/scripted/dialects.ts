import { anthropicMessages } from '../../wire/anthropic-messages/codec.ts';
import { bedrockConverse } from '../../wire/bedrock-converse/codec.ts';
import type { Codec, JsonObject, ReceivedRequest } from '../../wire/codec.ts';
import { gemini } from '../../wire/gemini/codec.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import { openaiResponses } from '../../wire/openai-responses/codec.ts';
import { recordIn } from '../../wire/values.ts';
import { anthropicError, type Dialect, geminiError, openaiError, RefusedRequest } from './dialect.ts';
import { embeddings } from './embeddings.ts';
import { conversationIn, exchangeOf } from './exchange.ts';

/** One API of providers; the codec reads and writes what it says. */
interface Api extends Pick<Dialect, 'name' | 'environment' | 'renderError'> {
  readonly codec: Codec;
  /** The list that the provider insists on. */
  readonly list: string;
  /** True where a text may stand in the place of the list. */
  readonly takesText?: true;
  /** Paths of requests for a reply; the group `model` names a model that the body does not. */
  readonly converse: RegExp;
  readonly count?: { readonly path: RegExp; render(tokens: number): unknown };
  /** `header` distinguishes APIs with the same path. */
  readonly models?: { readonly path: RegExp; readonly header?: string; render(model: string): unknown };
}

/** The variable that OpenAI's clients and most agents honour. */
const openaiEnvironment = (url: string): Record<string, string> => ({ OPENAI_BASE_URL: `${url}/v1` });

const geminiPath = '^(?:/v1(?:alpha|beta)?)?(?:/projects/[^/]+/locations/[^/]+/publishers/google)?/models/[^/:]+:';

const apis: readonly Api[] = [
  {
    name: 'messages',
    codec: anthropicMessages,
    list: 'messages',
    // Vertex AI has the model in the address.
    converse: /^(?:\/v1)?\/messages$|\/publishers\/anthropic\/models\/(?<model>[^/:]+):rawPredict$/,
    count: { path: /^(?:\/v1)?\/messages\/count_tokens$/, render: (tokens) => ({ input_tokens: tokens }) },
    models: {
      path: /^(?:\/v1)?\/models$/,
      header: 'anthropic-version',
      render: (id) => ({
        data: [{ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }],
        ...{ has_more: false, first_id: id, last_id: id },
      }),
    },
    environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
    renderError: anthropicError,
  },
  {
    name: 'chat',
    codec: openaiChat,
    list: 'messages',
    converse: /^(?:\/v1)?(?:\/projects\/[^/]+\/locations\/[^/]+\/endpoints\/openapi)?\/chat\/completions$/,
    models: {
      path: /^(?:\/v1)?\/models$/,
      render: (id) => ({ object: 'list', data: [{ id, object: 'model', created: 0, owned_by: 'assay' }] }),
    },
    environment: openaiEnvironment,
    renderError: openaiError,
  },
  {
    name: 'responses',
    codec: openaiResponses,
    list: 'input',
    takesText: true,
    converse: /^(?:\/v1)?\/responses$/,
    environment: openaiEnvironment,
    renderError: openaiError,
  },
  {
    name: 'gemini',
    codec: gemini,
    list: 'contents',
    converse: new RegExp(`${geminiPath}(?:generateContent|streamGenerateContent)$`),
    count: { path: new RegExp(`${geminiPath}countTokens$`), render: (tokens) => ({ totalTokens: tokens }) },
    models: {
      path: /^\/v1(?:alpha|beta)\/models$/,
      render: (model) => ({
        models: [
          {
            ...{ name: `models/${model}`, displayName: model, inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 },
            supportedGenerationMethods: ['generateContent', 'countTokens'],
          },
        ],
      }),
    },
    environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GOOGLE_VERTEX_BASE_URL: url }),
    renderError: geminiError,
  },
  {
    name: 'converse',
    codec: bedrockConverse,
    list: 'messages',
    converse: /^\/model\/[^/]+\/converse$/,
    environment: (url) => ({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
    renderError: (_status, message) => ({ message }),
  },
];

/** Every dialect; of two that know a path, the first answers. */
export const dialects: readonly Dialect[] = [
  ...apis.slice(0, -1).map(dialectOf),
  embeddings,
  ...apis.slice(-1).map(dialectOf),
];

function dialectOf(api: Api): Dialect {
  const { name, codec, converse, count, models, environment, renderError } = api;
  return {
    ...{ name, environment, renderError },
    taskOf(line) {
      const { method, pathname, headers } = line;
      if (method === 'POST' && converse.test(pathname))
        return {
          kind: 'converse',
          open: (body, recall) => exchangeOf(codec, name, requestIn(api, body, pathname), body, line, recall),
        };
      if (method === 'POST' && count?.path.test(pathname)) {
        // Gemini takes what is to be counted in a request as it would be sent, too.
        const counted = (body: JsonObject): JsonObject =>
          body.generateContentRequest === undefined ? body : recordIn(body.generateContentRequest);
        const read = (body: JsonObject) => conversationIn(name, requestIn(api, counted(body), pathname));
        return { kind: 'count-tokens', read, render: count.render };
      }
      if (method !== 'GET' || !models?.path.test(pathname)) return undefined;
      const isMeant = models.header === undefined || headers[models.header] !== undefined;
      return isMeant ? { kind: 'list-models', render: models.render } : undefined;
    },
  };
}

function requestIn({ codec, list, takesText, converse }: Api, body: JsonObject, pathname: string): ReceivedRequest {
  const given = body[list];
  if (!Array.isArray(given) && !(takesText && typeof given === 'string'))
    throw new RefusedRequest(400, `\`${list}\` must be a list.`);
  const { model } = converse.exec(pathname)?.groups ?? {};
  return codec.readRequest(model === undefined ? body : { ...body, model: decodeURIComponent(model) }, pathname);
}
