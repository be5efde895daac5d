import type { JsonObject } from '../../../wire/codec.ts';
import { openaiChat } from '../../../wire/openai-chat/codec.ts';
import type { Dialect, Exchange } from './dialect.ts';
import { conversationIn, exchangeOf, requireList } from './exchange.ts';
import { openaiEnvironment, openaiError, openaiModels } from './openai.ts';

/** OpenAI's chat completions, which most other providers speak too. */
export const chat: Dialect = {
  name: 'chat',
  environment: openaiEnvironment,
  taskOf({ method, pathname }) {
    if (
      method === 'POST' &&
      /^(\/v1)?(\/projects\/[^/]+\/locations\/[^/]+\/endpoints\/openapi)?\/chat\/completions$/.test(pathname)
    )
      return { kind: 'converse', open };
    if (method === 'GET' && /^(\/v1)?\/models$/.test(pathname)) return { kind: 'list-models', render: openaiModels };
    return undefined;
  },
  renderError: openaiError,
};

function open(body: JsonObject): Exchange {
  requireList(body, 'messages');
  const request = openaiChat.readRequest(body, '');
  return exchangeOf(openaiChat, conversationIn(chat.name, request), request, body);
}
