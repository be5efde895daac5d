import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Approver } from '../../domain/approval-event.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Loss } from '../../domain/loss.ts';
import { type Message, messageText } from '../../domain/message.ts';
import { sumOfUsage, type Usage } from '../../domain/usage.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { Repeats } from '../../shared/repeats.ts';
import { expandSetting } from '../targets/call/expand-settings.ts';
import { reportedUsage } from '../wire/reported-usage.ts';
import { type Connector, type ConnectorRequest, type ConnectorResponse, defineConnector } from './connector.ts';
import { documentOf, type EndpointAnswer, readSafely } from './wire/answer.ts';
import { ConversationMemory } from './wire/conversation-memory.ts';
import { readEntry } from './wire/detect-messages.ts';
import { resultsOfNoCall } from './wire/distinct-calls.ts';
import type { Endpoint } from './wire/endpoint.ts';
import { asText } from './wire/messages.ts';
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
  asks: true,
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

/** State of a conversation on the server after its last run. */
interface ThreadState {
  /** Of the messages that were sent or received. */
  readonly ids: ReadonlySet<string>;
  readonly messageCount: number;
  /** Questions of a graph that waits for the user's reply. */
  readonly interrupts: readonly Interrupt[];
}

const noThread: ThreadState = { ids: new Set(), messageCount: 0, interrupts: [] };

function connect(endpoint: Endpoint, baseUrl: string, config: LanggraphConfig): Connector {
  const salt = randomUUID();
  const memory = new ConversationMemory<ThreadState>();
  return {
    async invoke(request) {
      const { conversationId, headers, signal, clock } = request;
      const threadId = threadIdOf(conversationId, salt);
      const messages = request.messages.map((message, index) => withId(message, `${threadId}-${index + 1}`));
      const before = memory.get(conversationId) ?? noThread;
      let current: ThreadState = { ...before, ids: new Set([...before.ids, ...messages.map(({ id }) => id)]) };
      const runs: Run[] = [];
      const take = async (work: Record<string, unknown>): Promise<Run> => {
        const answer = await endpoint.send({
          url: endpointUrl(baseUrl, config.stateless ? 'runs/wait' : `threads/${threadId}/runs/wait`),
          method: 'POST',
          body: JSON.stringify({ ...bodyOf(config), ...work }),
          headers,
          signal,
          clock,
        });
        const state = readAnswer(answer, current);
        const { messageCount, interrupts } = state;
        // Without a thread the server has nothing to resume.
        const waiting = config.stateless ? [] : interrupts;
        current = { ids: new Set([...current.ids, ...state.ids]), messageCount, interrupts: waiting };
        memory.set(conversationId, current);
        return { answer, state };
      };
      runs.push(await take(workOf(request, messages, current, config)));
      const { approver } = request;
      while (approver && current.interrupts.length > 0) {
        assertFewerRuns(runs);
        runs.push(await take(await decisions(current.interrupts, approver)));
      }
      const thread = runs.at(-1)?.state.threadId ?? (config.stateless ? undefined : threadId);
      return { ...together(runs), threadId: thread };
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** One run of the graph in a turn: the first, and one after each decision of a policy. */
interface Run {
  readonly answer: EndpointAnswer;
  readonly state: ReadState;
}

/** A graph that asks more often in one turn would never end. */
const mostRuns = 100;

function assertFewerRuns(runs: readonly Run[]): void {
  if (runs.length < mostRuns) return;
  throw new AssayError('TARGET_CRASHED', `The graph requested decisions ${mostRuns} times in one turn.`);
}

async function decisions(interrupts: readonly Interrupt[], approver: Approver): Promise<Record<string, unknown>> {
  const { resumeValue } = await import('../approvals/interrupts.ts');
  const answers: [id: string | undefined, value: unknown][] = [];
  for (const interrupt of interrupts) {
    if (interrupt.value === undefined) approver.lost('an interrupt of the graph has no value');
    answers.push([interrupt.id, await resumeValue(interrupt, 'langgraph', approver)]);
  }
  const isOne = answers.length === 1 || answers.some(([id]) => id === undefined);
  return { command: { resume: isOne ? answers[0]?.[1] : Object.fromEntries(answers) } };
}

/** The runs of a turn as one answer; questions that a policy answered are not words to the user. */
function together(runs: readonly Run[]): ConnectorResponse {
  const last = runs.at(-1) as Run;
  const states = runs.map(({ state }) => state);
  const messages = states.flatMap((state) => (state === last.state ? state.messages : state.fresh));
  const isCounted = states.every(({ usage }) => usage !== undefined);
  return {
    messages,
    latencyMs: runs.reduce((sum, { answer }) => sum + answer.latencyMs, 0),
    usage: isCounted ? sumOfUsage(states.map(({ usage = {} }) => usage)) : undefined,
    gaps: states.flatMap(({ gaps }) => gaps),
    model: states.findLast(({ model }) => model !== undefined)?.model,
    raw: last.answer.raw,
  };
}

/** The additions to the state of a graph after a run. */
interface ReadState {
  readonly messages: readonly Message[];
  /** Without the questions. */
  readonly fresh: readonly Message[];
  readonly usage: Usage | undefined;
  readonly gaps: readonly Loss[];
  readonly model: string | undefined;
  readonly threadId: string | undefined;
  /** Of all messages in the state. */
  readonly ids: readonly string[];
  readonly messageCount: number;
  readonly interrupts: readonly Interrupt[];
}

/** A question for which a graph has stopped. */
interface Interrupt {
  readonly id: string | undefined;
  readonly question: string;
  readonly value: unknown;
  readonly losses: readonly Loss[];
}

interface StateMessage {
  readonly fields: Record<string, unknown>;
  readonly message: Message;
  readonly gaps: readonly Loss[];
}

/** Reads the new messages; undefined where there are none and the graph waits for no human. */
function readState(document: unknown, current: ThreadState): ReadState | undefined {
  if (!isRecord(document)) return undefined;
  const all = readMessages(Array.isArray(document.messages) ? document.messages : []);
  const added = newIn(all, current);
  const fresh = added.filter(({ message: { role } }) => role === 'assistant' || role === 'tool');
  const interrupts = interruptsIn(document.__interrupt__);
  const questions = interrupts.map(({ question }): Message => ({ role: 'assistant', content: question }));
  const messages = [...fresh.map(({ message }) => message), ...questions];
  if (messages.length === 0) return undefined;
  const answers = fresh.filter(({ message }) => message.role === 'assistant');
  const usages = answers.filter(isOfModel).map(({ fields }) => reportedUsage({ usage: fields.usage_metadata }));
  const lost = [...added.flatMap(({ gaps }) => gaps), ...unfinished(messages)];
  // A message that is not there may have had tokens.
  const isCounted = lost.length === 0 && resultsOfNoCall(messages).length === 0 && usages.every(({ usage }) => usage);
  return {
    messages,
    fresh: fresh.map(({ message }) => message),
    usage: isCounted ? sumOfUsage(usages.map(({ usage = {} }) => usage)) : undefined,
    gaps: [...lost, ...usages.flatMap(({ gaps = [] }) => gaps), ...interrupts.flatMap(({ losses }) => losses)],
    model: answers.map(({ fields }) => modelOf(fields)).findLast((model) => model !== undefined),
    threadId: typeof document.thread_id === 'string' ? document.thread_id : undefined,
    ids: all.flatMap(({ message: { id } }) => (id === undefined ? [] : [id])),
    messageCount: all.length,
    interrupts,
  };
}

const ofMessages = ['answers', 'tool-calls', 'tool-results'] as const;

/** A graph that does not wait for a human ends with words or with calls for its client. */
function unfinished(messages: readonly Message[]): Loss[] {
  if (messages.at(-1)?.role !== 'tool') return [];
  return [
    { channels: ['answers', 'tool-calls'], reason: 'the state ends with the result of a tool', place: 'messages' },
  ];
}

/** A message that stands in the state again is one message. */
function readMessages(written: readonly unknown[]): StateMessage[] {
  const repeats = new Repeats();
  return written.flatMap((value, index) => {
    const read = readStateMessage(value, `messages[${index}]`);
    const { id } = read.message;
    const standing = id === undefined ? 'first' : repeats.standingOf(value, id);
    return standing === 'again' ? [] : [standing === 'first' ? read : contradicted(read, id, index)];
  });
}

function readStateMessage(value: unknown, place: string): StateMessage {
  const { message = { role: 'assistant', content: null }, gaps } = readEntry(value, place);
  return { fields: isRecord(value) ? value : {}, message, gaps };
}

function contradicted(read: StateMessage, id: string | undefined, index: number): StateMessage {
  const reason = `two different messages have the id ${id}`;
  return { ...read, gaps: [...read.gaps, { channels: ofMessages, reason, place: `messages[${index}]` }] };
}

/** A graph also adds messages that no model wrote; those have neither usage nor facts of a reply. */
function isOfModel({ fields }: StateMessage): boolean {
  const { usage_metadata: usage, response_metadata: facts } = fields;
  return isRecord(usage) || (isRecord(facts) && Object.keys(facts).length > 0);
}

/** New by id; messages without one are new when they follow the last message of the user. */
function newIn(all: readonly StateMessage[], { ids, interrupts, messageCount }: ThreadState): StateMessage[] {
  const lastUserMessage = all.findLastIndex(({ message }) => message.role === 'user');
  // The reply to a question is not a message of the state.
  const last = interrupts.length > 0 ? Math.max(lastUserMessage, messageCount - 1) : lastUserMessage;
  return all.filter(({ message: { id } }, index) => (id === undefined ? index > last : !ids.has(id)));
}

/** The questions of a graph that waits for a human. */
function interruptsIn(written: unknown): Interrupt[] {
  const list = Array.isArray(written) ? written.filter(isRecord) : [];
  return list.map(({ id, interrupt_id: olderId, value }) => {
    const named = id ?? olderId;
    const lost: Loss = { channels: ['answers'], reason: 'a question has no value', place: '__interrupt__' };
    return {
      id: typeof named === 'string' ? named : undefined,
      question: asText(value),
      value,
      losses: value === undefined ? [lost] : [],
    };
  });
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

function bodyOf({ assistantId, configurable, stateless }: LanggraphConfig): Record<string, unknown> {
  return {
    assistant_id: assistantId,
    ...(!stateless && { multitask_strategy: 'enqueue', if_not_exists: 'create' }),
    ...(configurable && { config: { configurable } }),
  };
}

/** New messages for a graph that is at rest; for one that waits, the user's reply to its questions. */
function workOf(
  { seenCount }: ConnectorRequest,
  messages: readonly IdentifiedMessage[],
  { interrupts }: ThreadState,
  { stateless }: LanggraphConfig,
): Record<string, unknown> {
  const fresh = stateless ? messages : messages.slice(seenCount);
  if (interrupts.length === 0) return { input: { messages: fresh } };
  const reply = replyOf(fresh.filter(({ role }) => role === 'user').map(messageText));
  const ids = interrupts.map(({ id }) => id);
  // One value resumes only one question.
  const isOne = ids.length === 1 || ids.includes(undefined);
  return { command: { resume: isOne ? reply : Object.fromEntries(ids.map((id) => [id, reply])) } };
}

/** Graphs that wait for a decision take it as data. */
function replyOf(texts: readonly string[]): unknown {
  const text = texts.join('\n');
  const data = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return data ?? text;
}

function readAnswer(answer: EndpointAnswer, current: ThreadState): ReadState {
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
  const state = readSafely(answer, () => readState(document, current));
  if (state) return state;
  const hint = 'Give the state of the graph a list `messages` that the agent adds to.';
  return answer.fail('TARGET_NO_MESSAGE', `answered without a new message: ${answer.excerpt()}`, hint);
}
