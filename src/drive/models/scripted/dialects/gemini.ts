import type { JsonObject, ReceivedRequest } from '../../../wire/codec.ts';
import { gemini as codec } from '../../../wire/gemini/codec.ts';
import { writeGeminiList } from '../../../wire/gemini/write-reply.ts';
import { recordIn } from '../../../wire/values.ts';
import type { Dialect, Exchange, RequestLine } from './dialect.ts';
import { conversationIn, exchangeOf, requireList, wireReply } from './exchange.ts';

const methodPath =
  /^(?:\/v1(?:alpha|beta)?)?(?:\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google)?\/models\/[^/:]+:(generateContent|streamGenerateContent|countTokens)$/;

/** Google's Gemini, by its own API and by Vertex AI. */
export const gemini: Dialect = {
  name: 'gemini',
  environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GOOGLE_VERTEX_BASE_URL: url }),
  taskOf(line) {
    const { method, pathname } = line;
    if (method === 'GET' && /^\/v1(alpha|beta)\/models$/.test(pathname))
      return { kind: 'list-models', render: renderModels };
    const [, verb] = (method === 'POST' && methodPath.exec(pathname)) || [];
    if (verb === undefined) return undefined;
    if (verb === 'countTokens')
      return {
        kind: 'count-tokens',
        read: (body) => conversationIn(gemini.name, requestIn(countedRequest(body), pathname)),
        render: (tokens) => ({ totalTokens: tokens }),
      };
    return { kind: 'converse', open: (body) => open(body, line) };
  },
  renderError: (status, message) => ({
    error: { code: status, message, status: errorStatuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL') },
  }),
};

const errorStatuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function renderModels(model: string): unknown {
  const supportedGenerationMethods = ['generateContent', 'countTokens'];
  const limits = { inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 };
  return { models: [{ name: `models/${model}`, displayName: model, ...limits, supportedGenerationMethods }] };
}

function open(body: JsonObject, { pathname, query }: RequestLine): Exchange {
  const request = requestIn(body, pathname);
  const exchange = exchangeOf(codec, conversationIn(gemini.name, request), request, body);
  if (query.get('alt') === 'sse') return exchange;
  const frames: Exchange['frames'] = (reply) => writeGeminiList(wireReply(reply, request), { ...reply, request, body });
  return { ...exchange, streamType: 'application/json', frames };
}

function requestIn(body: JsonObject, pathname: string): ReceivedRequest {
  requireList(body, 'contents');
  return codec.readRequest(body, pathname);
}

/** The contents to count may stand in a request as it would be sent. */
function countedRequest(body: JsonObject): JsonObject {
  return body.generateContentRequest === undefined ? body : recordIn(body.generateContentRequest);
}
