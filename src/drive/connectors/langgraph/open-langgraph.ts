import { randomUUID } from 'node:crypto';
import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import type { Connector, ConnectorRequest, ConnectorSettings } from '../connector.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { Endpoint, type EndpointAnswer } from '../wire/endpoint.ts';
import { endpointUrl, requireHttpUrl } from '../wire/endpoint-url.ts';
import { mergedHeaders } from '../wire/headers.ts';
import { documentOf, reading } from '../wire/read-document.ts';
import type { LanggraphConfig } from './langgraph-connector.ts';
import { type ReadState, readState } from './read-state.ts';
import { threadIdOf } from './thread-id.ts';

const urlHint = 'Set `baseUrl` of the connector to the http or https URL of the LangGraph server.';
const language = { 'content-type': 'application/json', accept: 'application/json' };

/** Opens a connection to a LangGraph server. */
export function openLanggraph(
  config: LanggraphConfig,
  settings: ConnectorSettings,
  env: Readonly<Record<string, string | undefined>>,
): Connector {
  const given = settings.baseUrl && expandSetting('base URL', settings.baseUrl, env);
  const baseUrl = requireHttpUrl('langgraph', given, urlHint);
  const endpoint = new Endpoint(env, mergedHeaders(language, settings.headers), [new URL(baseUrl).password]);
  const salt = randomUUID();
  const known = new ConversationMemory<ReadonlySet<string>>();
  return {
    async invoke(request) {
      const { conversationId, headers, signal } = request;
      const threadId = threadIdOf(conversationId, salt);
      const messages = request.messages.map((message, index) => withId(message, `${threadId}-${index + 1}`));
      const seenBefore = known.get(conversationId) ?? new Set();
      const seen = new Set([...seenBefore, ...messages.map(({ id }) => id)]);
      const answer = await endpoint.ask({
        url: endpointUrl(baseUrl, config.stateless ? 'runs/wait' : `threads/${threadId}/runs/wait`),
        method: 'POST',
        body: JSON.stringify(bodyOf(request, messages, config)),
        headers,
        signal,
      });
      const state = readAnswer(answer, seen);
      known.set(conversationId, new Set([...seen, ...state.ids]));
      const { latencyMs, raw } = answer;
      const thread = state.threadId ?? (config.stateless ? undefined : threadId);
      const { messages: fresh, tokenUsage, model } = state;
      return { messages: fresh, latencyMs, tokenUsage, model, threadId: thread, raw };
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

type IdentifiedMessage = Message & { readonly id: string };

/** With an id of ours the server's copy of a message is known again. */
function withId({ metadata: _, ...message }: Message, id: string): IdentifiedMessage {
  return { ...(message as Message), id: message.id ?? id };
}

function bodyOf(
  { seenCount }: ConnectorRequest,
  messages: readonly IdentifiedMessage[],
  { assistantId, configurable, stateless }: LanggraphConfig,
): unknown {
  return {
    assistant_id: assistantId,
    input: { messages: stateless ? messages : messages.slice(seenCount) },
    ...(!stateless && { multitask_strategy: 'enqueue', if_not_exists: 'create' }),
    ...(configurable && { config: { configurable } }),
  };
}

function readAnswer(answer: EndpointAnswer, seen: ReadonlySet<string>): ReadState {
  const document = documentOf(answer);
  const error = isRecord(document) ? document.__error__ : undefined;
  if (error !== undefined) {
    const said = isRecord(error) ? [error.error, error.message].filter((text) => typeof text === 'string') : [error];
    return answer.fail(
      'TARGET_CRASHED',
      `ran the graph into an error: ${said.join(': ')}`,
      'Look into the log of the server.',
    );
  }
  const state = reading(answer, () => readState(document, seen));
  if (state) return state;
  const hint = 'The state of the graph must have `messages` that the agent adds to.';
  return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered without a new message: ${answer.excerpt()}`, hint);
}
