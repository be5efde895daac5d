import type { Message } from '../../domain/message.ts';
import { openaiResponses } from '../wire/openai-responses/codec.ts';
import { type ConnectorRequest, defineConnector } from './connector.ts';
import { ConversationMemory } from './wire/conversation-memory.ts';
import { mergeNeighbours, withToolResults } from './wire/messages.ts';
import {
  openaiApi,
  type ProviderConfig,
  type ProviderProtocol,
  providerConfigSchema,
  requestOf,
} from './wire/provider.ts';

export const openaiResponsesConnector = defineConnector({
  type: 'openai-responses',
  label: 'OpenAI responses',
  summary: "an agent or a model that speaks OpenAI's Responses, and keeps the conversation itself",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const api = { ...openaiApi, type: 'openai-responses', path: 'responses' };
    return openProviderConnector(api, () => createProtocol(config), config, settings, context);
  },
});

/** The API keeps the conversations; each turn refers to the id of the response before it. */
function createProtocol(config: ProviderConfig): ProviderProtocol {
  const lastResponses = new ConversationMemory<string>();
  // A response that is not stored cannot be referred to.
  const isStored = config.body.store !== false;
  return {
    codec: openaiResponses,
    outputLimit: 'max_output_tokens',
    textSeparator: '\n',
    bodyOf(request, model) {
      const previousId = isStored ? lastResponses.get(request.conversationId) : undefined;
      const unseen = previousId === undefined ? withToolResults(request.messages) : unseenMessages(request);
      const body = openaiResponses.writeRequest(
        requestOf({ ...request, messages: mergeNeighbours(unseen) }, model, config),
      );
      return { ...body, ...(previousId !== undefined && { previous_response_id: previousId }) };
    },
    threadOf({ id }, { conversationId }) {
      if (id !== undefined) lastResponses.set(conversationId, id);
      return id;
    },
  };
}

/** The messages that the endpoint has not received yet, with a result for each call of its last answer. */
function unseenMessages({ messages, seenCount }: ConnectorRequest): Message[] {
  const lastUserMessage = messages.slice(0, seenCount).findLastIndex(({ role }) => role === 'user');
  const received = new Set(messages.slice(0, seenCount));
  return withToolResults(messages.slice(lastUserMessage + 1)).filter((message) => !received.has(message));
}
