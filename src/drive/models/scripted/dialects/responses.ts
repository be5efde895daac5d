import type { JsonObject, ReceivedRequest } from '../../../wire/codec.ts';
import { openaiResponses } from '../../../wire/openai-responses/codec.ts';
import { responseIdPrefix } from '../../../wire/openai-responses/write-reply.ts';
import type { ModelMessage } from '../../model.ts';
import { conversationOf } from '../conversation.ts';
import { type Dialect, type Exchange, type Recall, RefusedRequest } from './dialect.ts';
import { conversationIn, exchangeOf, requireList } from './exchange.ts';
import { openaiEnvironment, openaiError } from './openai.ts';

/** OpenAI's Responses. */
export const responses: Dialect = {
  name: 'responses',
  environment: openaiEnvironment,
  taskOf: ({ method, pathname }) =>
    method === 'POST' && /^(\/v1)?\/responses$/.test(pathname) ? { kind: 'converse', open } : undefined,
  renderError: openaiError,
};

function open(body: JsonObject, recall: Recall): Exchange {
  if (typeof body.input !== 'string') requireList(body, 'input');
  const request = openaiResponses.readRequest(body, '');
  return exchangeOf(openaiResponses, conversationWith(earlierMessages(body, recall), request), request, body);
}

/** Items of the model that follow one another are one reply of it. */
function conversationWith(earlier: readonly ModelMessage[], request: ReceivedRequest) {
  const { messages: items, ...content } = conversationIn(responses.name, request);
  const messages: ModelMessage[] = [];
  for (const message of items) {
    const before = messages.at(-1);
    if (message.role === 'assistant' && before?.role === 'assistant')
      messages[messages.length - 1] = {
        role: 'assistant',
        content: [before.content, message.content].filter((text) => text !== '').join('\n'),
        toolCalls: [...(before.toolCalls ?? []), ...(message.toolCalls ?? [])],
      };
    else messages.push(message);
  }
  return conversationOf({ ...content, messages: [...earlier, ...messages] });
}

function earlierMessages({ previous_response_id: id }: JsonObject, recall: Recall): readonly ModelMessage[] {
  if (typeof id !== 'string') return [];
  const messages = id.startsWith(responseIdPrefix) ? recall(id.slice(responseIdPrefix.length)) : undefined;
  if (messages) return messages;
  throw new RefusedRequest(400, `Previous response with id '${id}' not found.`);
}
