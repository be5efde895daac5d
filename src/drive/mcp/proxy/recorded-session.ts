import type { ToolError } from '../../../domain/tool-error.ts';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { ProtocolViolations } from '../incoming.ts';
import type { Direction, LogRecord, MessageRecord } from './log-reader.ts';

type Message = Readonly<Record<string, unknown>>;

/** Receives the events of a session as its records are read. */
export interface SessionListener {
  /** `atMs` since 1970. */
  onEvent(event: UnstampedEvent, atMs: number): void;
  onGreeting(greeting: Message): void;
  /** All pages of what the server says its tools are. */
  onTools(tools: readonly unknown[], atMs: number): void;
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
}

const toolsChanged = 'notifications/tools/list_changed';

const otherWay = { 'to-server': 'from-server', 'from-server': 'to-server' } as const;

/** The messages between one agent and one server, from the records of the proxy between them. */
export class RecordedSession {
  readonly #label: string;
  readonly #listener: SessionListener;
  readonly #violations: ProtocolViolations;
  /** Requests that wait for an answer, by direction. */
  readonly #open = { 'to-server': new Map<unknown, OpenRequest>(), 'from-server': new Map<unknown, OpenRequest>() };
  #tools: unknown[] = [];
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
    return [...this.#open['to-server'].values()].map(inWords);
  }

  message(record: MessageRecord): void {
    const { direction, text, at } = record;
    const message = parseJson(text) ?? undefined;
    if (message === undefined) {
      const who = direction === 'to-server' ? 'of the agent' : 'of the server';
      this.#violations.note(`lines ${who} that are not messages`, () => text);
    } else if (Array.isArray(message)) this.#takeBatch(message, direction, at);
    else this.#take(message, direction, at);
  }

  #takeBatch(messages: readonly unknown[], direction: Direction, atMs: number): void {
    const who = direction === 'to-server' ? 'of the agent' : 'of the server';
    this.#violations.note(`batches of messages ${who}`, () => `${messages.length} of them`);
    for (const part of messages) this.#take(part, direction, atMs);
  }

  oversized({ direction, bytes, id, at }: Extract<LogRecord, { kind: 'oversized' }>): void {
    this.#violations.note('messages that were too long to store', () => `${bytes} bytes`);
    const result = { leftOut: `${bytes} bytes, too long to store` };
    if (id !== null && this.#open[otherWay[direction]].has(id)) this.#answer({ id, result }, direction, at);
  }

  /** Gives the request that will not be answered, in words. */
  giveUp({ id, what, at }: Extract<LogRecord, { kind: 'unanswered' }>): string {
    const request = this.#open['to-server'].get(id);
    if (request) this.#answer({ id, error: { message: `The MCP server ${what}` } }, 'from-server', at);
    return request ? inWords(request) : 'a request';
  }

  #take(message: unknown, direction: Direction, atMs: number): void {
    if (!isRecord(message)) this.#violations.note('messages that are not objects', () => JSON.stringify(message));
    else if (typeof message.method !== 'string') this.#answer(message, direction, atMs);
    else if (message.id !== undefined) this.#beginRequest(message, message.method, direction, atMs);
    else this.#notified(message.method, message.params, direction, atMs);
  }

  #notified(method: string, params: unknown, direction: Direction, atMs: number): void {
    if (direction === 'from-server' && method === toolsChanged) this.#listener.onToolsAnnounced();
    if (method === 'notifications/initialized') return;
    this.#listener.onEvent({ type: 'mcp-notification', direction, method, params }, atMs);
  }

  #beginRequest({ id, params }: Message, method: string, direction: Direction, atMs: number): void {
    const open = this.#open[direction];
    if (open.has(id)) this.#violations.note('requests that reuse the id of an unanswered request', () => `${id}`);
    const isCall = direction === 'to-server' && method === 'tools/call';
    const callId = isCall ? this.#listener.nextCallId() : undefined;
    open.set(id, { method, params, atMs, callId });
    if (callId === undefined) return;
    const { name, arguments: input = {} } = isRecord(params) ? params : {};
    this.#listener.onEvent(
      { type: 'tool-call', kind: 'mcp', callId, tool: String(name), server: this.#label, input },
      atMs,
    );
  }

  #answer(answer: Message, direction: Direction, atMs: number): void {
    const open = this.#open[otherWay[direction]];
    const request = open.get(answer.id);
    if (!request) {
      this.#violations.note('answers to unknown requests', () => JSON.stringify(answer));
      return;
    }
    open.delete(answer.id);
    this.#emitAnswer(request, answer, otherWay[direction], atMs);
  }

  #emitAnswer(request: OpenRequest, answer: Message, direction: Direction, atMs: number): void {
    const { method, params, callId } = request;
    const { result } = answer;
    const durationMs = Math.max(0, Math.round((atMs - request.atMs) * 100) / 100);
    const error = errorOf(answer);
    const outcome = { durationMs, ...(result === undefined ? {} : { result }), ...(error ? { error } : {}) };
    if (callId !== undefined) this.#listener.onEvent({ type: 'tool-result', callId, ...outcome }, atMs);
    else if (method === 'initialize' && isRecord(result)) this.#greet(result);
    else if (method === 'tools/list' && isRecord(result)) this.#list(params, result, atMs);
    else this.#listener.onEvent({ type: 'mcp-exchange', direction, method, params, ...outcome }, atMs);
  }

  #greet(greeting: Message): void {
    this.isGreeted = true;
    this.#listener.onGreeting(greeting);
  }

  #list(params: unknown, { tools, nextCursor }: Message, atMs: number): void {
    const isFirstPage = !isRecord(params) || params.cursor === undefined;
    this.#tools = [...(isFirstPage ? [] : this.#tools), ...(Array.isArray(tools) ? tools : [])];
    if (typeof nextCursor !== 'string' || nextCursor === '') this.#listener.onTools(this.#tools, atMs);
  }
}

function inWords({ method, params }: OpenRequest): string {
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
