import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorSettings } from '../connector.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { openProviderConnector, type ProviderLanguage, type ReadAnswer } from '../wire/open-provider-connector.ts';
import { openaiApi } from '../wire/openai-api.ts';
import { mergeNeighbours, withToolResults } from '../wire/outgoing-messages.ts';
import type { ProviderConfig } from '../wire/provider-config.ts';
import { openProvider } from '../wire/provider-endpoint.ts';
import { usageIn } from '../wire/token-usage.ts';
import { inputItems } from './input-items.ts';
import { readOutput } from './read-output.ts';
import { ResponseStream } from './response-stream.ts';

/** Opens a connection to an agent that speaks Responses; it keeps the conversations, by the id of its last response. */
export function openOpenaiResponses(
  config: ProviderConfig,
  settings: ConnectorSettings,
  { env, account }: Pick<TargetContext, 'env' | 'account'>,
): Connector {
  const api = { ...openaiApi, type: 'openai-responses', path: 'responses' };
  const lastResponses = new ConversationMemory<string>();
  // What is not stored cannot be gone on with.
  const isKept = config.body.store !== false;
  const language: ProviderLanguage = {
    outputLimit: 'max_output_tokens',
    bodyOf(request, model) {
      const previousId = isKept ? lastResponses.get(request.conversationId) : undefined;
      return bodyOf(request, model, config, previousId);
    },
    createReader: () => (config.stream ? new ResponseStream() : undefined),
    read(document, { conversationId }) {
      const answer = readResponse(document);
      if (answer?.threadId !== undefined) lastResponses.set(conversationId, answer.threadId);
      return answer;
    },
  };
  return openProviderConnector(openProvider(api, config, settings, env), language, account);
}

function bodyOf(
  request: ConnectorRequest,
  model: string,
  { instructions, system, tools, temperature, maxTokens, stream, body }: ProviderConfig,
  previousId: string | undefined,
): Record<string, unknown> {
  const prompt = instructions ?? system;
  const messages = previousId === undefined ? withToolResults(request.messages) : unseenMessages(request);
  return {
    model,
    ...(prompt !== undefined && { instructions: prompt }),
    input: inputItems(mergeNeighbours(messages)),
    ...(previousId !== undefined && { previous_response_id: previousId }),
    ...(tools && { tools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(stream && { stream: true }),
    ...body,
  };
}

/** What the endpoint does not know yet, with a result for each call of its last answer. */
function unseenMessages({ messages, seenCount }: ConnectorRequest): Message[] {
  const lastSaid = messages.slice(0, seenCount).findLastIndex(({ role }) => role === 'user');
  const known = new Set(messages.slice(0, seenCount));
  return withToolResults(messages.slice(lastSaid + 1)).filter((message) => !known.has(message));
}

function readResponse(document: unknown): ReadAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.output) || isRecord(document.error)) return undefined;
  const messages = readOutput(document.output);
  if (messages.length === 0) return undefined;
  return {
    messages,
    tokenUsage: usageIn(document),
    ...(typeof document.model === 'string' && { model: document.model }),
    ...(typeof document.id === 'string' && { threadId: document.id }),
  };
}
