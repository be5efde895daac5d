import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../../domain/capability.ts';
import type { Loss } from '../../../domain/loss.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { isRecord, resemblesJson } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import type { ProtocolViolations } from '../incoming.ts';
import { metaKeys, metaOf } from '../protocol-versions.ts';
import { lossesOfResult } from '../result-losses.ts';
import { officialRules } from '../schemas/message-rules.ts';
import type { Era, ToolDefinition } from '../session.ts';
import { parseMessage } from '../wire/parse-message.ts';
import type { Direction, LogRecord, MessageRecord } from './log-reader.ts';
import { PausedRequests } from './paused-requests.ts';

type Message = Readonly<Record<string, unknown>>;

/** Receives the events of a session as its records are read. */
export interface SessionListener {
  /** `atMs` since 1970; undefined at the end. */
  onEvent(event: UnstampedEvent, atMs: number | undefined): void;
  /** Messages that could not be placed, and what they could have been. */
  onLoss(loss: Loss): void;
  onGreeting(greeting: Message): void;
  /** All pages of what the server says its tools are. */
  onTools(tools: readonly ToolDefinition[], atMs: number): void;
  /** The server says that its tools changed. */
  onToolsAnnounced(): void;
  nextCallId(): string;
}

interface OpenRequest {
  readonly method: string;
  readonly params: unknown;
  readonly atMs: number;
  /** Of a tool call. */
  readonly callId: string | undefined;
  /** Time that earlier rounds of the same request took. */
  readonly spentMs: number;
  /** The agent does not wait for the answer any more, which may still come. */
  readonly isCancelled?: true;
}

/** Who acted on a message in place of the server. */
type WhoActed = Pick<MessageRecord, 'answeredBy' | 'byProxy'>;

interface SeenRequest extends Pick<MessageRecord, 'byProxy'> {
  readonly direction: Direction;
  readonly atMs: number;
}

interface AnswerFacts {
  readonly answeredBy?: ControlKind | undefined;
  /** No answer came: this one says so. */
  readonly isGivenUp?: boolean;
}

interface SeenAnswer {
  readonly atMs: number;
  readonly answeredBy: ControlKind | undefined;
}

const toolsChanged = 'notifications/tools/list_changed';
const cancelled = 'notifications/cancelled';
const toolList = 'tools/list';
const listen = 'subscriptions/listen';
const discover = 'server/discover';

/** Channels of a message in each direction, beside messages that are about neither. */
const lostOf: Readonly<Record<Direction, readonly Channel[]>> = {
  'to-server': ['tool-calls', 'tool-results'],
  'from-server': ['tool-results'],
};

/** Answers to more requests than these count as unknown when they come again. */
const mostAnswered = 20_000;

const otherWay = { 'to-server': 'from-server', 'from-server': 'to-server' } as const;

/** The messages between one agent and one server, from the records of the proxy between them. */
export class RecordedSession {
  readonly #label: string;
  readonly #listener: SessionListener;
  readonly #violations: ProtocolViolations;
  /** Requests that wait for an answer, by direction. */
  readonly #open = { 'to-server': new Map<unknown, OpenRequest>(), 'from-server': new Map<unknown, OpenRequest>() };
  readonly #paused = new PausedRequests<OpenRequest>();
  /** Answers of the server, by the ids of their requests. */
  readonly #answered = new Map<unknown, { readonly answer: Message; readonly isGivenUp: boolean }>();
  readonly #records = new Repeats();
  #tools: ToolDefinition[] = [];
  /** Whether the server has answered the first request of the protocol. */
  isGreeted = false;
  end: Extract<LogRecord, { kind: 'end' }> | undefined;

  constructor(label: string, listener: SessionListener, violations: ProtocolViolations) {
    this.#label = label;
    this.#listener = listener;
    this.#violations = violations;
  }

  /** The requests to the server that were never answered, in words. */
  get unanswered(): string[] {
    const open = [...this.#open['to-server'].values()];
    return open.filter(({ method, isCancelled }) => method !== listen && !isCancelled).map(inWords);
  }

  message(record: MessageRecord): void {
    const { direction, text, at, bytesLeftOut = 0 } = record;
    const message = parseMessage(text) ?? undefined;
    // Two equal notifications may well come at the same moment.
    if (this.#records.standingOf(record) === 'again' && isRecord(message) && message.id !== undefined) return;
    if (bytesLeftOut > 0) this.#lost('messages that were shortened', () => `${bytesLeftOut} bytes`, direction);
    if (message === undefined) {
      const kind = `lines ${direction === 'to-server' ? 'of the agent' : 'of the server'} that are not messages`;
      // Words that a server prints among its messages are not part of one.
      if (resemblesJson(text)) this.#lost(kind, () => text, direction);
      else this.#violations.note(kind, () => text);
    } else if (Array.isArray(message)) this.#takeBatch(message, direction, at);
    else this.#take(message, direction, at, record);
  }

  #takeBatch(messages: readonly unknown[], direction: Direction, atMs: number): void {
    const who = direction === 'to-server' ? 'of the agent' : 'of the server';
    this.#violations.note(`batches of messages ${who}`, () => `${messages.length} of them`);
    for (const part of messages) this.#take(part, direction, atMs);
  }

  oversized({ direction, bytes, id, at }: Extract<LogRecord, { kind: 'oversized' }>): void {
    this.#lost('messages that were too long to store', () => `${bytes} bytes`, direction);
    const result = { leftOut: `${bytes} bytes, too long to store` };
    if (id !== null && this.#open[otherWay[direction]].has(id)) this.#answer({ id, result }, direction, at);
  }

  /** Gives the request that will not be answered, in words. */
  giveUp({ id, what, at, isInjected }: Extract<LogRecord, { kind: 'unanswered' }>): string {
    const request = this.#open['to-server'].get(id);
    const by = { isGivenUp: true, answeredBy: isInjected ? ('fault' as const) : undefined };
    if (request) this.#answer({ id, error: { message: `The MCP server ${what}` } }, 'from-server', at, by);
    return request ? inWords(request) : 'a request';
  }

  /** Ends the calls that the agent gave up. */
  finish(): void {
    const open = [...this.#open['to-server'].values()];
    if (open.some(({ method }) => method === toolList)) this.#loseTools('was requested, and no answer was seen');
    for (const { callId, isCancelled, ...request } of open) {
      if (callId !== undefined && !isCancelled)
        this.#listener.onLoss({ channels: ['tool-results'], reason: `${inWords(request)} has no answer` });
    }
    this.#endCalls(
      open.filter(({ isCancelled }) => isCancelled),
      'the agent cancelled the call',
    );
    this.#endCalls(this.#paused.left, 'the server needed input, and the agent did not continue the call');
  }

  #endCalls(requests: readonly OpenRequest[], message: string): void {
    for (const { callId, spentMs } of requests) {
      if (callId === undefined) continue;
      this.#listener.onEvent({ type: 'tool-result', callId, durationMs: spentMs, error: { message } }, undefined);
    }
  }

  #take(message: unknown, direction: Direction, atMs: number, { answeredBy, byProxy }: WhoActed = {}): void {
    if (!isRecord(message)) this.#violations.note('messages that are not objects', () => JSON.stringify(message));
    else if (typeof message.method !== 'string') this.#answer(message, direction, atMs, { answeredBy });
    else if (message.id !== undefined) this.#beginRequest(message, message.method, { direction, atMs, byProxy });
    else this.#notified(message.method, message.params, direction, atMs);
  }

  #notified(method: string, params: unknown, direction: Direction, atMs: number): void {
    if (direction === 'from-server' && method === toolsChanged) this.#listener.onToolsAnnounced();
    if (direction === 'to-server' && method === cancelled) this.#cancel(params, atMs);
    if (method === 'notifications/initialized') return;
    this.#listener.onEvent({ type: 'mcp-notification', direction, method, params }, atMs);
  }

  #cancel(params: unknown, atMs: number): void {
    const id = isRecord(params) ? params.requestId : undefined;
    const request = this.#open['to-server'].get(id);
    if (!request) return;
    const spentMs = request.spentMs + since(request.atMs, atMs);
    this.#open['to-server'].set(id, { ...request, spentMs, isCancelled: true });
  }

  #beginRequest({ id, params }: Message, method: string, { direction, atMs, byProxy }: SeenRequest): void {
    const open = this.#open[direction];
    const waiting = open.get(id);
    if (waiting) this.#lost('requests that reuse the id of an unanswered request', () => `${id}`, direction);
    // Sent again before it was answered, which is one call.
    if (waiting?.method === method && isDeepStrictEqual(waiting.params, params)) return;
    const resumed = direction === 'to-server' ? this.#paused.resume(method, params) : undefined;
    if (resumed) {
      open.set(id, { ...resumed.request, params, atMs });
      const durationMs = since(resumed.atMs, atMs);
      for (const input of resumed.inputs) this.#listener.onEvent({ ...input, durationMs }, atMs);
      return;
    }
    const isCall = direction === 'to-server' && method === 'tools/call';
    const callId = isCall ? this.#listener.nextCallId() : undefined;
    open.set(id, { method, params, atMs, callId, spentMs: 0 });
    if (callId === undefined) return;
    const { name, arguments: input = {} } = isRecord(params) ? params : {};
    const call = { tool: String(name), server: this.#label, input, ...(byProxy && { isRefused: true as const }) };
    this.#listener.onEvent({ type: 'tool-call', kind: 'mcp', callId, ...call }, atMs);
  }

  #answer(answer: Message, direction: Direction, atMs: number, { answeredBy, isGivenUp }: AnswerFacts = {}): void {
    const open = this.#open[otherWay[direction]];
    const request = open.get(answer.id);
    const before = direction === 'from-server' ? this.#answered.get(answer.id) : undefined;
    // An answer that comes again changes nothing, nor does the one to a call that was given up.
    if (!request && before && (before.isGivenUp || isDeepStrictEqual(before.answer, answer))) return;
    if (!request) {
      const kind = 'answers to unknown requests';
      if (direction === 'from-server') this.#lost(kind, () => JSON.stringify(answer), 'to-server');
      else this.#violations.note(kind, () => JSON.stringify(answer));
      return;
    }
    open.delete(answer.id);
    if (direction === 'from-server' && this.#answered.size < mostAnswered)
      this.#answered.set(answer.id, { answer, isGivenUp: isGivenUp === true });
    this.#emitAnswer(request, answer, otherWay[direction], { atMs, answeredBy });
  }

  #emitAnswer(request: OpenRequest, answer: Message, direction: Direction, seen: SeenAnswer): void {
    const { atMs, answeredBy } = seen;
    const { method, params, callId } = request;
    const { result } = answer;
    const durationMs = request.isCancelled ? request.spentMs : request.spentMs + since(request.atMs, atMs);
    if (isRecord(result)) this.#greetByResult(request, result);
    if (isRecord(result) && result.resultType === 'input_required') {
      this.#paused.pause({ ...request, spentMs: durationMs }, result, atMs);
      return;
    }
    const error = errorOf(answer);
    const outcome = { durationMs, ...(result === undefined ? {} : { result }), ...(error ? { error } : {}) };
    const by = answeredBy ? { answeredBy } : {};
    const era = metaOf(params)[metaKeys.version] === undefined ? 'legacy' : 'modern';
    if (callId !== undefined) this.#emitResult({ type: 'tool-result', callId, ...outcome, ...by }, era, atMs);
    else if (method === 'initialize' && isRecord(result)) this.#greet(result);
    else if (method === discover && isRecord(result)) return;
    else if (method === toolList && isRecord(result)) this.#list(params, result, atMs);
    else this.#listener.onEvent({ type: 'mcp-exchange', direction, method, params, ...outcome }, atMs);
  }

  #emitResult(event: Extract<UnstampedEvent, { type: 'tool-result' }>, era: Era, atMs: number): void {
    this.#listener.onEvent(event, atMs);
    for (const loss of lossesOfResult(officialRules, era, event.result)) this.#listener.onLoss(loss);
  }

  /** A violation of the protocol by which something of the session is not known. */
  #lost(kind: string, example: () => string, direction: Direction): void {
    const channels = lostOf[direction];
    if (this.#violations.note(kind, example) === 1) this.#listener.onLoss({ channels, reason: kind });
  }

  #greet(greeting: Message): void {
    this.isGreeted = true;
    // A server that knows no other beginning need not answer the question which versions it has.
    for (const [id, { method }] of this.#open['to-server']) if (method === discover) this.#open['to-server'].delete(id);
    this.#listener.onGreeting(greeting);
  }

  /** Without a handshake, any result says who the server is, and its request which version is spoken. */
  #greetByResult({ params }: OpenRequest, { _meta }: Message): void {
    const protocolVersion = metaOf(params)[metaKeys.version];
    if (this.isGreeted || protocolVersion === undefined) return;
    this.#greet({ protocolVersion, serverInfo: metaOf({ _meta })[metaKeys.serverInfo] });
  }

  /** Without the whole list it is unknown which names could have been called. */
  #loseTools(what: string): void {
    this.#listener.onLoss({ channels: ['tool-calls'], reason: `the list of tools ${what}`, place: toolList });
  }

  #list(params: unknown, { tools, nextCursor }: Message, atMs: number): void {
    const isFirstPage = !isRecord(params) || params.cursor === undefined;
    const listed: readonly unknown[] = Array.isArray(tools) ? tools : [undefined];
    if (!listed.every(isTool)) this.#loseTools('has an entry that is not a tool');
    this.#tools = [...(isFirstPage ? [] : this.#tools), ...listed.filter(isTool)];
    if (typeof nextCursor !== 'string' || nextCursor === '') this.#listener.onTools(this.#tools, atMs);
  }
}

function isTool(tool: unknown): tool is ToolDefinition {
  return isRecord(tool) && typeof tool.name === 'string';
}

function since(beganAtMs: number, atMs: number): number {
  return Math.max(0, Math.round((atMs - beganAtMs) * 100) / 100);
}

function inWords({ method, params }: Pick<OpenRequest, 'method' | 'params'>): string {
  return method === 'tools/call' && isRecord(params) ? `${method} of ${String(params.name)}` : method;
}

/** An error of the protocol, or a result that says of itself that it is one. */
function errorOf({ result, error }: Message): ToolError | undefined {
  if (isRecord(error) && isRecord(result)) return { message: 'the answer has a result and an error together' };
  if (isRecord(error)) return { ...error, message: String(error.message ?? 'an error without a message') };
  if (isRecord(result)) return result.isError === true ? { message: contentText(result) } : undefined;
  return { message: 'the answer has neither a result object nor an error' };
}

function contentText({ content }: Message): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.join('\n') || 'the tool failed';
}
