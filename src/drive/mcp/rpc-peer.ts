import { AssayError } from '../../domain/errors.ts';
import type { ControlKind } from '../../domain/tool-control/control-event.ts';
import { isRecord } from '../../shared/json.ts';
import { internalError, methodNotFound, RpcError, serverError } from '../../shared/json-rpc.ts';
import { answeredByOf, causedBy } from './control/mcp-reply.ts';
import type { IncomingHandlers } from './incoming.ts';
import type { McpAnswer, McpRequestOptions } from './session.ts';
import { type WaitingRequest, WaitingRequests } from './waiting-requests.ts';
import type { RequestId } from './wire/wire.ts';

type Message = Readonly<Record<string, unknown>>;
type Send = (message: Message) => void;

/** Where the messages of a peer go. */
export interface Outgoing {
  /** The headers go with a request that is sent over HTTP. */
  send(message: Message, headers?: Readonly<Record<string, string>>): void;
  /** The answer to a request is not wanted any more. */
  cancel(requestId: RequestId, reason: string): void;
}

/** Limits of a request, and how it is sent and waited for. */
export interface PeerRequestOptions extends McpRequestOptions {
  /** When the time limit began to count; by default when it is sent. */
  readonly sinceMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly isInBackground?: boolean | undefined;
  /** Called with its id just before it is sent. */
  readonly onId?: ((id: RequestId) => void) | undefined;
}

/** A kind of violation: clients would take such a notification for a request. */
export const notificationsWithId = 'notifications with an id';

/** Further requests at the same time are refused. */
const mostOpen = 100;

/** Answers what a server asks of its client. */
class ServerRequests {
  readonly #send: Send;
  readonly #incoming: IncomingHandlers;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(send: Send, incoming: IncomingHandlers) {
    this.#send = send;
    this.#incoming = incoming;
  }

  async answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const abort = new AbortController();
    try {
      const handler = this.#incoming.handlerOf(method);
      if (!handler) throw new RpcError(methodNotFound, `This client does not answer ${method}.`);
      if (this.#open.size >= mostOpen) throw new RpcError(serverError, 'Too many requests are open.');
      this.#open.set(id, abort);
      const result = await handler({ method, params }, abort.signal);
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, error: errorOf(error) });
    } finally {
      if (this.#open.get(id) === abort) this.#open.delete(id);
    }
  }

  /** The server does not want the answer any more. */
  cancel(id: unknown): void {
    this.#open.get(id as RequestId)?.abort();
  }

  cancelAll(): void {
    for (const abort of this.#open.values()) abort.abort();
  }
}

function errorOf(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof RpcError)) return { code: internalError, message: String(thrown) };
  const { code, message, data } = thrown;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/** Answers to more cancelled requests count as answers to unknown ones. */
const mostGivenUp = 10_000;

/** Deeper data would overflow the stack of whatever walks over it later. */
const deepestNesting = 500;

/** Our side of the JSON-RPC that MCP is spoken in. Whatever the other side sends, nothing is queued and nothing throws. */
export class RpcPeer {
  readonly #requests: ServerRequests;
  readonly #label: string;
  readonly #outgoing: Outgoing;
  readonly #incoming: IncomingHandlers;
  /** Whether the server may send requests; those of a server that may not are violations. */
  answersRequests = true;
  readonly #waiting = new WaitingRequests({
    onTimeout: (request) => this.#timedOut(request),
    onAbort: (request) => this.#aborted(request),
  });
  #lastId = 0;
  #hasAnswered = false;
  /** Requests whose answer may have been on its way when they were cancelled. */
  readonly #givenUp = new Set<unknown>();
  /** Requests that Assay keeps or delays on purpose, by the control that does. */
  readonly #heldBack = new Map<unknown, ControlKind>();
  #ended: Error | undefined;

  constructor(label: string, incoming: IncomingHandlers, outgoing: Outgoing) {
    this.#label = label;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#requests = new ServerRequests((message) => {
      if (!this.#ended) outgoing.send(message);
    }, incoming);
  }

  /** The methods that the server owes an answer to. */
  get waitsFor(): string[] {
    return this.#waiting.methods;
  }

  /** Whether the server answered any request. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  request(method: string, params: Message, options: PeerRequestOptions): Promise<McpAnswer> {
    return new Promise((resolve, reject) => {
      const { timeoutMs, signal, isInBackground = false } = options;
      if (this.#ended) return reject(this.#ended);
      if (signal?.aborted) return reject(interrupted(this.#label, method));
      const id = ++this.#lastId;
      const sentAtMs = performance.now();
      const dueAtMs = (options.sinceMs ?? sentAtMs) + timeoutMs;
      this.#waiting.add({ id, method, sentAtMs, dueAtMs, timeoutMs, isInBackground, resolve, reject }, options);
      options.onId?.(id);
      this.#outgoing.send({ jsonrpc: '2.0', id, method, params }, options.headers);
    });
  }

  receive(message: unknown): void {
    if (this.#ended) return;
    const messages = Array.isArray(message) ? message : [message];
    // The protocol had batches in one version only.
    if (messages === message && messages.some(isRecord))
      this.#incoming.violations.note('batches of messages', () => `${messages.length} of them`);
    for (const part of messages) this.#receiveOne(part);
  }

  #receiveOne(message: unknown): void {
    if (!isRecord(message)) this.#odd('messages that are not objects', message);
    else if (isNestedDeeper(message, deepestNesting)) this.#nestedTooDeep(message);
    else if (typeof message.method === 'string') this.#called(message, message.method);
    else if (message.id !== undefined) this.#answered(message);
    else this.#odd('messages with neither a method nor an id', message);
  }

  /** One request will not be answered any more. */
  reject(requestId: RequestId, error: Error): void {
    this.#waiting.take(requestId)?.reject(error);
  }

  /** The answer to a request is kept back or delayed on purpose: if it times out, the server is not at fault. */
  holdBack(requestId: RequestId, by: ControlKind): void {
    this.#heldBack.set(requestId, by);
  }

  /** Nothing is answered from now on. */
  end(error: Error): void {
    this.#ended ??= error;
    this.#waiting.rejectAll(this.#ended);
    this.#requests.cancelAll();
  }

  #called({ id, params }: Message, method: string): void {
    if (typeof id === 'string' || typeof id === 'number') {
      if (method.startsWith('notifications/')) return void this.#odd(notificationsWithId, { method });
      if (!this.answersRequests)
        return void this.#odd('requests, which this version of the protocol does not have', { method });
      void this.#requests.answer(id, method, params);
      return;
    }
    if (method === 'notifications/cancelled' && isRecord(params)) this.#requests.cancel(params.requestId);
    this.#incoming.notify(method, params);
  }

  #answered(message: Message): void {
    const { id, result, error } = message;
    const request = this.#waiting.take(id);
    this.#heldBack.delete(id);
    if (!request) {
      if (this.#givenUp.delete(id)) return;
      this.#odd('answers to unknown requests', message);
      return;
    }
    this.#hasAnswered = true;
    const latencyMs = performance.now() - request.sentAtMs;
    const answeredBy = answeredByOf(message);
    const facts = answeredBy === undefined ? { latencyMs } : { latencyMs, answeredBy };
    if (isRecord(result) && error !== undefined && error !== null) {
      this.#violated(request, 'a result and an error together');
    } else if (isRecord(result)) request.resolve({ kind: 'result', result, ...facts });
    else if (isRecord(error) && typeof error.code === 'number' && typeof error.message === 'string') {
      const { code, message, data } = error;
      request.resolve({ kind: 'error', code, message, ...(data === undefined ? {} : { data }), ...facts });
    } else {
      this.#violated(request, 'neither a result object nor an error with code and message');
    }
  }

  #nestedTooDeep(message: Message): void {
    const request = typeof message.method === 'string' ? undefined : this.#waiting.take(message.id);
    if (request) this.#violated(request, `data nested more than ${deepestNesting} levels deep`);
    else this.#incoming.violations.note('messages that are nested too deeply', () => Object.keys(message).join(', '));
  }

  #violated({ method, reject }: WaitingRequest, what: string): void {
    reject(new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${this.#label}" answered ${method} with ${what}.`));
  }

  #odd(kind: string, message: unknown): void {
    this.#incoming.violations.note(kind, () => (Array.isArray(message) ? 'a list' : JSON.stringify(message)));
  }

  #timedOut({ id, method, timeoutMs, reject }: WaitingRequest): void {
    this.#cancel(id, method, 'it took too long');
    const besides = this.#incoming.violations.texts().map((text) => ` It sent ${text}.`);
    const message = `The MCP server "${this.#label}" did not answer ${method} within ${timeoutMs} ms.${besides.join('')}`;
    const error = new AssayError('MCP_SERVER_TIMEOUT', message);
    const by = this.#heldBack.get(id);
    this.#heldBack.delete(id);
    reject(by ? causedBy(error, by) : error);
  }

  #aborted({ id, method, reject }: WaitingRequest): void {
    this.#cancel(id, method, 'it is no longer needed');
    reject(interrupted(this.#label, method));
  }

  /** The beginning of a session may not be cancelled, and a server may not know the question which era it is of. */
  #cancel(requestId: number, method: string, reason: string): void {
    if (this.#givenUp.size < mostGivenUp) this.#givenUp.add(requestId);
    if (!this.#ended && method !== 'initialize' && method !== 'server/discover')
      this.#outgoing.cancel(requestId, reason);
  }
}

function interrupted(label: string, method: string): AssayError {
  return new AssayError('INTERRUPTED', `${method} of the MCP server "${label}" was stopped before it was answered.`);
}

function isNestedDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && isNestedDeeper(part, levels - 1)) return true;
  }
  return false;
}
