import { setTimeout as pause } from 'node:timers/promises';
import type { AuthorizedAddress } from './http-address.ts';
import { isEventStream, type Message, readMessages, type StreamPosition } from './http-messages.ts';
import { PostingWire } from './posting-wire.ts';
import type { RequestId, WireListener } from './wire.ts';

/** Time in which a server may say that it knows that the session is over. */
const shutdownGraceMs = 1_000;

/** Pauses before a stream that broke off is continued, unless it names another; one that brings something new may break off again. */
const pausesMs = [1_000, 1_500];

type ReadPart = (response: Response, position: StreamPosition) => Promise<void>;

/** Streamable HTTP before 2026-07-28: messages belong to a session, and a stream that breaks off can be continued. */
export class SessionWire extends PostingWire {
  #sessionId: string | undefined;
  #version: string | undefined;

  constructor(address: AuthorizedAddress, listener: WireListener) {
    super(address, listener, false);
  }

  async send(message: Message): Promise<void> {
    if (this.isOver) return;
    await this.post(message, this.#headers);
    if (message.method === 'notifications/initialized') void this.during((abort) => this.#listen(abort));
  }

  /** Servers learn of it by a message only. */
  override cancel(requestId: RequestId): false {
    super.cancel(requestId);
    return false;
  }

  useProtocolVersion(version: string): void {
    this.#version = version;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    const isOpen = !this.isOver && this.#sessionId !== undefined;
    await super[Symbol.asyncDispose]();
    if (!isOpen) return;
    const signal = AbortSignal.timeout(shutdownGraceMs);
    const response = await this.#request('DELETE', {}, signal).catch(() => undefined);
    await response?.body?.cancel();
  }

  protected override arrived({ headers }: Response): void {
    this.#sessionId = headers.get('mcp-session-id') ?? this.#sessionId;
  }

  protected override async readAnswer(response: Response, id: RequestId, abort: AbortController): Promise<void> {
    const read: ReadPart = (part, position) => super.readAnswer(part, id, abort, position);
    await this.#readOn(response, abort.signal, read, () => this.isWaitingFor(id));
  }

  /** A server may have a stream for messages that are not about a request. */
  async #listen({ signal }: AbortController): Promise<void> {
    const onMessage = (message: Message): void => {
      if (!this.isOver) this.listener.onMessage(message);
    };
    const onStray = (text: string): void => this.listener.onStray(text);
    const read: ReadPart = (part, position) =>
      readMessages(part, this.address.redact, { onMessage, onStray, position });
    const response = await this.#stream(undefined, signal);
    if (response) await this.#readOn(response, signal, read, () => !this.isOver);
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

  #request(method: string, given: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const headers = { ...given, ...this.address.headers, ...this.#headers };
    return this.fetch(this.address.url, { method, headers, signal, redirect: 'manual' });
  }

  get #headers(): Record<string, string> {
    return {
      ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
      ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
    };
  }
}
