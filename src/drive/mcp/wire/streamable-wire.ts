import { setTimeout as pause } from 'node:timers/promises';
import { isRecord } from '../../../shared/json.ts';
import { type Checks, checkedFetch } from './checked-fetch.ts';
import type { Fetch } from './environment-fetch.ts';
import type { AuthorizedAddress } from './http-address.ts';
import {
  endBy,
  followRedirects,
  isEventStream,
  type Message,
  readMessages,
  requestIdOf,
  type StreamPosition,
} from './http-messages.ts';
import { mirroredHeaders, versionOf } from './mirrored-headers.ts';
import { type RequestId, tooLong, type Wire, type WireEnd, type WireListener } from './wire.ts';

type HeaderFields = Readonly<Record<string, string>>;
type ReadPart = (response: Response, position: StreamPosition) => Promise<void>;

/** Time in which a server may end a stream after the answer. */
const lastWordsMs = 1_000;

/** Time in which a server may say that it knows that the session is over. */
const shutdownGraceMs = 1_000;

/** Pauses before a stream that broke off is continued, unless it names another; one that brings something new may break off again. */
const pausesMs = [1_000, 1_500];

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A request that was posted, and whether its answer may still come. */
interface OpenExchange {
  readonly abort: AbortController;
  readonly isModern: boolean;
}

/**
 * Streamable HTTP: each message is posted, and each answer comes in the response to its request. Since 2026-07-28 every
 * request stands for itself; messages of the older versions belong to a session, whose streams can be continued.
 */
export class StreamableWire implements Wire {
  readonly #address: AuthorizedAddress;
  readonly #listener: WireListener;
  readonly #modernFetch: Fetch;
  readonly #olderFetch: Fetch;
  readonly #open = new Map<RequestId, OpenExchange>();
  readonly #exchanges = new Set<AbortController>();
  readonly processTag = undefined;
  #isOver = false;
  /** The version of the messages that name one. */
  #modernVersion: string | undefined;
  /** Whether a message of an older version was sent; those that name no version are of that one then. */
  #isOlder = false;
  #olderVersion: string | undefined;
  #sessionId: string | undefined;

  constructor(address: AuthorizedAddress, listener: WireListener) {
    this.#address = address;
    this.#listener = listener;
    const { redact, authorization, fetch } = address;
    const checks: Checks = { redact, fetch, authorization, hasAnswers: true, onTooLong: () => this.#end(tooLong) };
    this.#modernFetch = checkedFetch({ ...checks, takesErrorsWithoutId: true });
    this.#olderFetch = checkedFetch(checks);
  }

  async send(message: Message, headers: HeaderFields = {}): Promise<void> {
    if (this.#isOver) return;
    const isOlder = this.#isOlder || message.method === 'initialize';
    const version = versionOf(message) ?? (isOlder ? undefined : this.#modernVersion);
    if (version !== undefined) {
      this.#modernVersion = version;
      return this.#post(message, { ...mirroredHeaders(message, version), ...headers }, true);
    }
    this.#isOlder = true;
    await this.#post(message, this.#sessionHeaders, false);
    if (message.method === 'notifications/initialized') void this.#during((abort) => this.#listen(abort));
  }

  /** Servers of the older versions learn of it by a message only. */
  cancel(requestId: RequestId): boolean {
    const exchange = this.#open.get(requestId);
    this.#open.delete(requestId);
    exchange?.abort.abort();
    return exchange?.isModern ?? !this.#isOlder;
  }

  useProtocolVersion(version: string): void {
    if (this.#isOlder) this.#olderVersion = version;
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const hasSession = !this.#isOver && this.#sessionId !== undefined;
    this.#isOver = true;
    for (const exchange of this.#exchanges) exchange.abort();
    if (!hasSession) return;
    const signal = AbortSignal.timeout(shutdownGraceMs);
    const response = await this.#request('DELETE', {}, signal).catch(() => undefined);
    await response?.body?.cancel();
  }

  /** Posts a message and reads the response to a request; an answer that is not in it does not come any more. */
  async #post(message: Message, headers: HeaderFields, isModern: boolean): Promise<void> {
    const id = requestIdOf(message);
    await this.#during(async (abort) => {
      if (id !== undefined) this.#open.set(id, { abort, isModern });
      try {
        const response = await this.#exchange(JSON.stringify(message), headers, abort.signal, isModern);
        if (!isModern) this.#sessionId = response.headers.get('mcp-session-id') ?? this.#sessionId;
        if (id === undefined) return void (await response.body?.cancel());
        if (isModern) await this.#readAnswer(response, id, abort, true);
        else {
          const read: ReadPart = (part, position) => this.#readAnswer(part, id, abort, false, position);
          await this.#readOn(response, abort.signal, read, () => this.#open.has(id));
        }
        this.#unanswered(id, { code: 'MCP_SERVER_DIED', what: 'closed the stream without the answer' });
      } catch (error) {
        if (id !== undefined) this.#unanswered(id, endBy(error, this.#address.redact));
      }
    });
  }

  async #exchange(body: string, given: HeaderFields, signal: AbortSignal, isModern: boolean): Promise<Response> {
    const headers = new Headers(contentHeaders);
    for (const [name, value] of Object.entries({ ...this.#address.headers, ...given })) headers.set(name, value);
    const send = isModern ? this.#modernFetch : this.#olderFetch;
    return followRedirects(this.#address, this.#address.url, (url) =>
      send(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    );
  }

  /** Runs an exchange, which ends at the latest with the wire. */
  async #during(work: (abort: AbortController) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    this.#exchanges.add(abort);
    await work(abort).finally(() => this.#exchanges.delete(abort));
  }

  /** Reads messages up to the end of a response, or until a moment after the answer to the request. */
  async #readAnswer(
    response: Response,
    id: RequestId,
    abort: AbortController,
    takesErrorsWithoutId: boolean,
    position?: StreamPosition,
  ): Promise<void> {
    let lastWords: NodeJS.Timeout | undefined;
    const onMessage = (message: Message): void => {
      if (this.#isOver) return;
      const answer = takesErrorsWithoutId && isErrorWithoutId(message) ? { ...message, id } : message;
      if (answer.method === undefined && (typeof answer.id === 'string' || typeof answer.id === 'number'))
        this.#open.delete(answer.id);
      this.#listener.onMessage(answer);
      if (!this.#open.has(id)) lastWords ??= setTimeout(() => abort.abort(), lastWordsMs).unref();
    };
    const onStray = (text: string): void => this.#listener.onStray(text);
    try {
      await readMessages(response, this.#address.redact, { onMessage, onStray, position });
    } finally {
      clearTimeout(lastWords);
    }
  }

  /** A server may have a stream for messages that are not about a request. */
  async #listen({ signal }: AbortController): Promise<void> {
    const onMessage = (message: Message): void => {
      if (!this.#isOver) this.#listener.onMessage(message);
    };
    const onStray = (text: string): void => this.#listener.onStray(text);
    const read: ReadPart = (part, position) =>
      readMessages(part, this.#address.redact, { onMessage, onStray, position });
    const response = await this.#stream(undefined, signal);
    if (response) await this.#readOn(response, signal, read, () => !this.#isOver);
  }

  /** Reads a stream, and what follows where it breaks off and the server numbers its events. */
  async #readOn(first: Response, signal: AbortSignal, read: ReadPart, isOpen: () => boolean): Promise<void> {
    const position: StreamPosition = {};
    let response: Response | undefined = first;
    for (let attempt = 0; ; attempt++) {
      const before = position.eventId;
      if (response) await read(response, position);
      if (position.eventId !== before) attempt = 0;
      const waitMs = pausesMs[attempt];
      if (position.eventId === undefined || waitMs === undefined || !isOpen()) return;
      await pause(position.retryMs ?? waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      response = await this.#stream(position.eventId, signal);
    }
  }

  /** The stream of messages, from an event on; undefined where there is none. */
  async #stream(lastEventId: string | undefined, signal: AbortSignal): Promise<Response | undefined> {
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
    const response = await this.#request('GET', headers, signal).catch(() => undefined);
    if (response?.ok && isEventStream(response)) return response;
    await response?.body?.cancel();
    return undefined;
  }

  #request(method: string, given: HeaderFields, signal: AbortSignal): Promise<Response> {
    const headers = { ...given, ...this.#address.headers, ...this.#sessionHeaders };
    return this.#olderFetch(this.#address.url, { method, headers, signal, redirect: 'manual' });
  }

  get #sessionHeaders(): HeaderFields {
    return {
      ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
      ...(this.#olderVersion !== undefined && { 'mcp-protocol-version': this.#olderVersion }),
    };
  }

  #unanswered(id: RequestId, end: WireEnd): void {
    if (this.#open.delete(id) && !this.#isOver) this.#listener.onUnanswered(id, end);
  }

  #end(end: WireEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
    for (const exchange of this.#exchanges) exchange.abort();
  }
}

/** Where versions of the protocol allow it, such an error is about the request that it follows. */
function isErrorWithoutId({ method, id, error }: Message): boolean {
  return method === undefined && (id ?? null) === null && isRecord(error);
}
