import { setMaxListeners } from 'node:events';
import { AssayError } from '../../domain/errors.ts';
import type { ControlKind } from '../../domain/tool-control/control-event.ts';
import { isRecord } from '../../shared/json.ts';
import { answeredByOf, causedBy } from './control/mcp-reply.ts';
import type { IncomingHandlers } from './incoming.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import { type Refusal, refusalText } from './schemas/refusal.ts';
import { ServerRequests } from './server-requests.ts';
import type { McpAnswer, McpRequestOptions } from './session.ts';
import type { RequestId } from './wire/wire.ts';

type Message = Readonly<Record<string, unknown>>;

/** Where the messages of a peer go. */
interface Outgoing {
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
  /** Why official clients refuse the result; undefined where they take it. */
  readonly refusalIn?: ((result: Message) => Refusal | undefined) | undefined;
}

/** A request that was sent and not answered yet. */
interface WaitingRequest extends Pick<PeerRequestOptions, 'refusalIn'> {
  readonly method: string;
  readonly sentAtMs: number;
  /** Nothing that its caller waits for: it is not named where the server owes an answer. */
  readonly isInBackground: boolean;
  /** Stops to wait for its time limit and its signal. */
  readonly release: () => void;
  readonly resolve: (answer: McpAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Timers count no further. */
const longestTimerMs = 2 ** 31 - 1;

/** A kind of violation: clients would take such a notification for a request. */
export const notificationsWithId = 'notifications with an id';

const inBatch: Refusal = { path: 'message', problem: 'a batch of messages, which the protocol does not have' };

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
  /** Whether answers that official clients refuse are given to the caller, who looks at their `refusal`. */
  takesRefused = false;
  /** Loaded while the connection is opened. */
  rules: MessageRules | undefined;
  readonly #waiting = new Map<unknown, WaitingRequest>();
  #lastId = 0;
  /** Whether the server answered any request. */
  hasAnswered = false;
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
    const owed = [...this.#waiting.values()].filter(({ isInBackground }) => !isInBackground);
    return [...new Set(owed.map(({ method }) => method))];
  }

  request(method: string, params: Message, options: PeerRequestOptions): Promise<McpAnswer> {
    return new Promise((resolve, reject) => {
      const { timeoutMs, signal, sinceMs, isInBackground = false, refusalIn } = options;
      if (this.#ended) return reject(this.#ended);
      if (signal?.aborted) return reject(interrupted(this.#label, method));
      const id = ++this.#lastId;
      const sentAtMs = performance.now();
      const onAbort = (): void => this.#aborted(id);
      // Many requests may wait with one signal, and Node warns of many listeners.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', onAbort, { once: true });
      // Timers count whole milliseconds and may be one early.
      const leftMs = Math.ceil((sinceMs ?? sentAtMs) + timeoutMs - sentAtMs) + 1;
      const isLimited = Number.isFinite(timeoutMs);
      const timer = isLimited
        ? setTimeout(() => this.#timedOut(id, timeoutMs), Math.min(leftMs, longestTimerMs))
        : null;
      const release = (): void => {
        if (timer) clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      this.#waiting.set(id, { method, sentAtMs, isInBackground, refusalIn, release, resolve, reject });
      options.onId?.(id);
      this.#outgoing.send({ jsonrpc: '2.0', id, method, params }, options.headers);
    });
  }

  receive(message: unknown): void {
    if (this.#ended) return;
    if (!Array.isArray(message)) return void this.#receiveOne(message);
    if (message.some(isRecord))
      this.#incoming.violations.note('batches of messages', () => `${message.length} of them`);
    // The protocol had batches in one version only, and official clients never read them.
    for (const part of message) this.#receiveOne(part, inBatch);
  }

  #receiveOne(message: unknown, around?: Refusal): void {
    if (!isRecord(message)) return void this.#odd('messages that are not objects', message);
    if (isNestedDeeper(message, deepestNesting)) return void this.#nestedTooDeep(message);
    const refusal = around ?? this.rules?.envelope(message);
    if (typeof message.method === 'string') {
      if (refusal) this.#incoming.refuse(message.method, refusal);
      else this.#called(message, message.method);
    } else if (message.id !== undefined) this.#answered(message, refusal);
    else this.#odd('messages with neither a method nor an id', message);
  }

  /** One request will not be answered any more. */
  reject(requestId: RequestId, error: Error): void {
    this.#take(requestId)?.reject(error);
  }

  /** The answer to a request is kept back or delayed on purpose: if it times out, the server is not at fault. */
  holdBack(requestId: RequestId, by: ControlKind): void {
    this.#heldBack.set(requestId, by);
  }

  /** Nothing is answered from now on. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(this.#ended);
    this.#requests.cancelAll();
  }

  #called({ id, params }: Message, method: string): void {
    if (typeof id === 'string' || typeof id === 'number') {
      if (method.startsWith('notifications/')) return void this.#odd(notificationsWithId, { method });
      if (!this.answersRequests)
        return void this.#odd('requests, which this version of the protocol does not have', { method });
      void this.#requests.answer(id, method, params, this.rules);
      return;
    }
    const refusal = this.rules?.notification(method, params);
    if (refusal) return void this.#incoming.refuse(method, refusal);
    if (method === 'notifications/cancelled' && isRecord(params)) this.#requests.cancel(params.requestId);
    this.#incoming.notify(method, params);
  }

  #answered(message: Message, aroundIt: Refusal | undefined): void {
    const { result, error } = message;
    const id = this.#idOf(message);
    const request = this.#take(id);
    this.#heldBack.delete(id);
    if (!request) {
      if (!this.#givenUp.delete(id)) this.#odd('answers to unknown requests', message);
      return;
    }
    this.hasAnswered = true;
    const latencyMs = performance.now() - request.sentAtMs;
    const answeredBy = answeredByOf(message);
    const refusal = aroundIt ?? (isRecord(result) ? request.refusalIn?.(result) : undefined);
    const facts = { latencyMs, ...(answeredBy && { answeredBy }), ...(refusal && { refusal }) };
    if (refusal && !this.takesRefused) this.#refuse(request, refusal, answeredBy);
    else if (isRecord(result)) request.resolve({ kind: 'result', result, ...facts });
    else if (isRecord(error) && typeof error.code === 'number' && typeof error.message === 'string') {
      const { code, message, data } = error;
      request.resolve({ kind: 'error', code, message, ...(data === undefined ? {} : { data }), ...facts });
    } else {
      this.#violated(request, 'neither a result object nor an error with code and message');
    }
  }

  /** Official clients read ids as numbers; one that comes as a text is the same. */
  #idOf({ id }: Message): unknown {
    if (typeof id !== 'string' || !this.#waiting.has(Number(id))) return id;
    this.#oddly('answers whose id is a text and not the number that was sent', () => JSON.stringify(id));
    return Number(id);
  }

  #refuse(request: WaitingRequest, refusal: Refusal, by: ControlKind | undefined): void {
    const message = `The MCP server "${this.#label}" answered ${request.method} with a message that official clients refuse: ${refusalText(refusal)}.`;
    const error = new AssayError('MCP_PROTOCOL_VIOLATED', message);
    request.reject(by === undefined ? error : causedBy(error, by));
  }

  #nestedTooDeep(message: Message): void {
    const request = typeof message.method === 'string' ? undefined : this.#take(message.id);
    if (request) this.#violated(request, `data nested more than ${deepestNesting} levels deep`);
    else this.#incoming.violations.note('messages that are nested too deeply', () => Object.keys(message).join(', '));
  }

  #violated({ method, reject }: WaitingRequest, what: string): void {
    reject(new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${this.#label}" answered ${method} with ${what}.`));
  }

  #odd(kind: string, message: unknown): void {
    this.#oddly(kind, () => (Array.isArray(message) ? 'a list' : JSON.stringify(message)));
  }

  #oddly(kind: string, example: () => string): void {
    this.#incoming.violations.note(kind, example);
  }

  /** The request, which then waits no more; undefined for one that does not wait. */
  #take(id: unknown): WaitingRequest | undefined {
    const request = this.#waiting.get(id);
    this.#waiting.delete(id);
    request?.release();
    return request;
  }

  #timedOut(id: number, timeoutMs: number): void {
    const { method = '', reject } = this.#take(id) ?? {};
    this.#cancel(id, method, 'it took too long');
    const message = `The MCP server "${this.#label}" did not answer ${method} within ${timeoutMs} ms.${this.#besides()}`;
    const error = new AssayError('MCP_SERVER_TIMEOUT', message);
    const by = this.#heldBack.get(id);
    this.#heldBack.delete(id);
    reject?.(by ? causedBy(error, by) : error);
  }

  #aborted(id: number): void {
    const { method = '', reject } = this.#take(id) ?? {};
    this.#cancel(id, method, 'it is no longer needed');
    reject?.(interrupted(this.#label, method, this.#besides()));
  }

  /** A server that logs to its stdout sends lines that are not messages. */
  #besides(): string {
    return this.#incoming.violations
      .texts()
      .map((text) => ` It sent ${text}.`)
      .join('');
  }

  /** The beginning of a session may not be cancelled, and a server may not know the question which era it is of. */
  #cancel(requestId: number, method: string, reason: string): void {
    if (this.#givenUp.size < mostGivenUp) this.#givenUp.add(requestId);
    if (!this.#ended && method !== 'initialize' && method !== 'server/discover')
      this.#outgoing.cancel(requestId, reason);
  }
}

function interrupted(label: string, method: string, besides = ''): AssayError {
  return new AssayError('INTERRUPTED', `The MCP server "${label}" had not answered ${method}.${besides}`);
}

function isNestedDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && isNestedDeeper(part, levels - 1)) return true;
  }
  return false;
}
