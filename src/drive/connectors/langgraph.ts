import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Message, TokenUsage } from '../../domain/message.ts';
import { isRecord } from '../../shared/json.ts';
import { expandSetting } from '../targets/call/expand-settings.ts';
import { type Connector, type ConnectorRequest, defineConnector } from './connector.ts';
import { documentOf, type EndpointAnswer, readSafely } from './wire/answer.ts';
import { ConversationMemory } from './wire/conversation-memory.ts';
import type { Endpoint } from './wire/endpoint.ts';
import { asText, readMessage } from './wire/messages.ts';
import { addUsage, readUsage } from './wire/token-usage.ts';
import { endpointUrl, mergedHeaders, requireHttpUrl } from './wire/url-and-headers.ts';

const configSchema = () =>
  z.strictObject({
    assistantId: z.string().min(1).default('default').describe('the assistant or graph to run'),
    configurable: z.record(z.string(), z.unknown()).optional().describe('sent as `config.configurable` with each run'),
    stateless: z
      .boolean()
      .default(false)
      .describe('run without a thread: each turn sends the whole conversation, and the server keeps nothing'),
  });

type LanggraphConfig = z.output<ReturnType<typeof configSchema>>;

const urlHint = 'Set `baseUrl` of the connector to the http or https URL of the LangGraph server.';

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json' };

export const langgraphConnector = defineConnector({
  type: 'langgraph',
  label: 'LangGraph',
  summary: 'an agent on a LangGraph server',
  reports: ['tool-calls', 'usage', 'latency'],
  configSchema,
  async open(config, settings, context) {
    const { env } = context;
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { Endpoint } = await import('./wire/endpoint.ts');
    const url = settings.baseUrl && expandSetting('base URL', settings.baseUrl, env);
    const baseUrl = requireHttpUrl('langgraph', url, urlHint);
    const headers = mergedHeaders(contentHeaders, settings.headers);
    return connect(new Endpoint(context, headers, [new URL(baseUrl).password]), baseUrl, config);
  },
});

function connect(endpoint: Endpoint, baseUrl: string, config: LanggraphConfig): Connector {
  const salt = randomUUID();
  const messageIds = new ConversationMemory<ReadonlySet<string>>();
  return {
    async invoke(request) {
      const { conversationId, headers, signal, clock } = request;
      const threadId = threadIdOf(conversationId, salt);
      const messages = request.messages.map((message, index) => withId(message, `${threadId}-${index + 1}`));
      const knownIds = new Set([...(messageIds.get(conversationId) ?? []), ...messages.map(({ id }) => id)]);
      const answer = await endpoint.send({
        url: endpointUrl(baseUrl, config.stateless ? 'runs/wait' : `threads/${threadId}/runs/wait`),
        method: 'POST',
        body: JSON.stringify(bodyOf(request, messages, config)),
        headers,
        signal,
        clock,
      });
      const state = readAnswer(answer, knownIds);
      messageIds.set(conversationId, new Set([...knownIds, ...state.ids]));
      const { latencyMs, raw } = answer;
      const thread = state.threadId ?? (config.stateless ? undefined : threadId);
      const { messages: fresh, tokenUsage, model } = state;
      return { messages: fresh, latencyMs, tokenUsage, model, threadId: thread, raw };
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** The additions to the state of a graph after a run. */
interface ReadState {
  readonly messages: readonly Message[];
  readonly tokenUsage: TokenUsage | undefined;
  readonly model: string | undefined;
  readonly threadId: string | undefined;
  /** Of all messages in the state. */
  readonly ids: readonly string[];
}

interface StateMessage {
  readonly fields: Record<string, unknown>;
  readonly message: Message;
}

/** Reads the new messages; undefined where there are none and the graph waits for no human. */
function readState(document: unknown, knownIds: ReadonlySet<string>): ReadState | undefined {
  if (!isRecord(document)) return undefined;
  const all = (Array.isArray(document.messages) ? document.messages : []).filter(isRecord).flatMap(readStateMessage);
  const fresh = newIn(all, knownIds).filter(({ message: { role } }) => role === 'assistant' || role === 'tool');
  const messages = fresh.map(({ message }) => message);
  if (!messages.some(({ role }) => role === 'assistant')) messages.push(...questionsIn(document.__interrupt__));
  if (messages.length === 0) return undefined;
  const answers = fresh.filter(({ message }) => message.role === 'assistant');
  return {
    messages,
    tokenUsage: answers.reduce<TokenUsage | undefined>((sum, { fields }) => addUsage(sum, usageOf(fields)), undefined),
    model: answers.map(({ fields }) => modelOf(fields)).findLast((model) => model !== undefined),
    threadId: typeof document.thread_id === 'string' ? document.thread_id : undefined,
    ids: all.flatMap(({ message: { id } }) => (id === undefined ? [] : [id])),
  };
}

function readStateMessage(fields: Record<string, unknown>): StateMessage[] {
  const message = readMessage(fields);
  return message ? [{ fields, message }] : [];
}

/** New by id; messages without one are new when they follow the last message of the user. */
function newIn(all: readonly StateMessage[], knownIds: ReadonlySet<string>): StateMessage[] {
  const lastUserMessage = all.findLastIndex(({ message }) => message.role === 'user');
  return all.filter(({ message: { id } }, index) => (id === undefined ? index > lastUserMessage : !knownIds.has(id)));
}

/** The questions of a graph that waits for a human. */
function questionsIn(interrupts: unknown): Message[] {
  const list = Array.isArray(interrupts) ? interrupts.filter(isRecord) : [];
  return list.map(({ value }) => ({ role: 'assistant', content: asText(value) }));
}

function usageOf({ usage_metadata: usage }: Record<string, unknown>): TokenUsage | undefined {
  return readUsage(usage);
}

function modelOf({ response_metadata: metadata }: Record<string, unknown>): string | undefined {
  const named = isRecord(metadata) ? (metadata.model_name ?? metadata.model) : undefined;
  return typeof named === 'string' ? named : undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The thread of a conversation: its own id, or a UUID derived from it, because LangGraph accepts nothing else. The salt
 * keeps a repeated trial from continuing in the thread of the first attempt.
 */
function threadIdOf(conversationId: string, salt: string): string {
  if (uuid.test(conversationId)) return conversationId;
  const bytes = createHash('sha256').update(`${salt}:${conversationId}`).digest().subarray(0, 16);
  // Version 8, for custom ids, and the variant of RFC 9562.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type IdentifiedMessage = Message & { readonly id: string };

/** An id from us makes the server's copy of a message recognisable. */
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

function readAnswer(answer: EndpointAnswer, knownIds: ReadonlySet<string>): ReadState {
  const document = documentOf(answer);
  const error = isRecord(document) ? document.__error__ : undefined;
  if (error !== undefined) {
    const texts = isRecord(error) ? [error.error, error.message].filter((text) => typeof text === 'string') : [error];
    return answer.fail(
      'TARGET_CRASHED',
      `failed while running the graph: ${texts.join(': ')}`,
      'Look into the log of the LangGraph server.',
    );
  }
  const state = readSafely(answer, () => readState(document, knownIds));
  if (state) return state;
  const hint = 'Give the state of the graph a list `messages` that the agent adds to.';
  return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered without a new message: ${answer.excerpt()}`, hint);
}
