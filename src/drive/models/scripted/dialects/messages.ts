import { anthropicMessages } from '../../../wire/anthropic-messages/codec.ts';
import type { JsonObject, ReceivedRequest } from '../../../wire/codec.ts';
import type { Dialect, Exchange } from './dialect.ts';
import { conversationIn, exchangeOf, requireList } from './exchange.ts';

/** The model stands in the address, and not in the body. */
const vertexPath = /\/publishers\/anthropic\/models\/([^/:]+):rawPredict$/;

/** Anthropic's Messages, by its own API and by Vertex AI. */
export const messages: Dialect = {
  name: 'messages',
  environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
  taskOf({ method, pathname, headers }) {
    if (method === 'POST' && /^(\/v1)?\/messages$/.test(pathname)) return { kind: 'converse', open };
    const [, model] = (method === 'POST' && vertexPath.exec(pathname)) || [];
    if (model !== undefined)
      return { kind: 'converse', open: (body) => open({ ...body, model: decodeURIComponent(model) }) };
    if (method === 'POST' && /^(\/v1)?\/messages\/count_tokens$/.test(pathname))
      return {
        kind: 'count-tokens',
        read: (body) => conversationIn(messages.name, requestIn(body)),
        render: (tokens) => ({ input_tokens: tokens }),
      };
    // The same path as OpenAI's, distinguished as Anthropic does it: every request must carry this header.
    if (method === 'GET' && /^(\/v1)?\/models$/.test(pathname) && headers['anthropic-version'] !== undefined)
      return { kind: 'list-models', render: renderModels };
    return undefined;
  },
  renderError: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
};

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function renderModels(model: string): unknown {
  const entry = { type: 'model', id: model, display_name: model, created_at: '1970-01-01T00:00:00Z' };
  return { data: [entry], has_more: false, first_id: model, last_id: model };
}

function open(body: JsonObject): Exchange {
  const request = requestIn(body);
  return exchangeOf(anthropicMessages, conversationIn(messages.name, request), request, body);
}

function requestIn(body: JsonObject): ReceivedRequest {
  requireList(body, 'messages');
  return anthropicMessages.readRequest(body, '');
}
