import { createParser } from 'eventsource-parser';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { AuthorizedAddress } from './http-address.ts';
import { mirroredHeaders, versionOf } from './mirrored-headers.ts';
import { parseMessage } from './parse-message.ts';
import { type RequestId, tooLong, type Wire, type WireEnd, WireError, type WireListener } from './wire.ts';

type Message = Readonly<Record<string, unknown>>;
type HeaderFields = Readonly<Record<string, string>>;

/** Time in which a server may end a stream after the answer. */
const lastWordsMs = 1_000;
const mostRedirects = 5;

/**
 * Streamable HTTP. Since 2026-07-28 every request is one exchange, which is made here; a message of the older versions
 * belongs to a session, and goes over a second wire that is opened for the first of them.
 */
export class StreamableWire implements Wire {
  readonly #address: AuthorizedAddress;
  readonly #listener: WireListener;
  readonly #fetch: ReturnType<typeof checkedFetch>;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #exchanges = new Set<AbortController>();
  #older: Promise<Wire> | undefined;
  #openedOlder: Wire | undefined;
  #version: string | undefined;
  #isOver = false;

  constructor(address: AuthorizedAddress, listener: WireListener) {
    this.#address = address;
    this.#listener = listener;
    const { redact, authorization, fetch } = address;
    this.#fetch = checkedFetch({
      redact,
      fetch,
      authorization,
      hasAnswers: true,
      takesErrorsWithoutId: true,
      onTooLong: () => this.#end(tooLong),
      onFailure: () => undefined,
    });
  }

  async send(message: Message, headers: HeaderFields = {}): Promise<void> {
    if (this.#isOver) return;
    const version = versionOf(message) ?? (this.#older || message.method === 'initialize' ? undefined : this.#version);
    if (version === undefined) return (await this.#olderWire()).send(message);
    this.#version = version;
    const { id, method } = message;
    const isRequest = method !== undefined && (typeof id === 'number' || typeof id === 'string');
    await this.#post(message, { ...mirroredHeaders(message, version), ...headers }, isRequest ? id : undefined);
  }

  cancel(requestId: RequestId): boolean {
    const exchange = this.#open.get(requestId);
    this.#open.delete(requestId);
    exchange?.abort();
    return exchange !== undefined || (this.#openedOlder?.cancel(requestId) ?? this.#older === undefined);
  }

  useProtocolVersion(version: string): void {
    this.#openedOlder?.useProtocolVersion(version);
  }

  get processTag(): undefined {
    return undefined;
  }

  stderr(): undefined {
    return undefined;
  }

  /** Loaded for servers of the older versions only. */
  #olderWire(): Promise<Wire> {
    this.#older ??= import('./sdk-wire.ts')
      .then(({ openStreamable }) => openStreamable(this.#address, this.#listener))
      .then((wire) => {
        this.#openedOlder = wire;
        return wire;
      });
    return this.#older;
  }

  async #post(message: Message, headers: HeaderFields, id: RequestId | undefined): Promise<void> {
    const abort = new AbortController();
    this.#exchanges.add(abort);
    if (id !== undefined) this.#open.set(id, abort);
    try {
      const response = await this.#exchange(JSON.stringify(message), headers, abort.signal);
      if (id === undefined) await response.body?.cancel();
      else await this.#read(response, id, abort);
      if (id !== undefined)
        this.#unanswered(id, { code: 'MCP_SERVER_DIED', what: 'closed the stream without the answer' });
    } catch (error) {
      if (id !== undefined) this.#unanswered(id, this.#endBy(error));
    } finally {
      this.#exchanges.delete(abort);
    }
  }

  /** Redirects are followed where the server stays the same: another one must not see what this one may. */
  async #exchange(body: string, mirrored: HeaderFields, signal: AbortSignal): Promise<Response> {
    const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
    for (const [name, value] of Object.entries({ ...this.#address.headers, ...mirrored })) headers.set(name, value);
    let { url } = this.#address;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      if (response.status < 300) return response;
      const next = new URL(response.headers.get('location') ?? '', url);
      await response.body?.cancel();
      const isSame = (response.status === 307 || response.status === 308) && next.origin === url.origin;
      if (!isSame || redirects >= mostRedirects) throw notFollowed(next, this.#address);
      url = next;
    }
  }

  async #read(response: Response, id: RequestId, abort: AbortController): Promise<void> {
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
      const text = await response.text();
      const message = parseMessage(text);
      if (!isMessage(message)) throw new WireError(notAMessage(this.#address.redact(text)));
      this.#take(message, id);
      return;
    }
    let lastWords: NodeJS.Timeout | undefined;
    const parser = createParser({
      onEvent: ({ data }) => {
        const message = parseMessage(data);
        if (!isMessage(message)) return this.#listener.onStray(data);
        this.#take(message, id);
        if (!this.#open.has(id)) lastWords ??= setTimeout(() => abort.abort(), lastWordsMs).unref();
      },
    });
    try {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch {
      // A stream that breaks off has the same end as one that is closed.
    } finally {
      clearTimeout(lastWords);
    }
  }

  /** An error without an id can only be about the request that it follows. */
  #take(message: Message, id: RequestId): void {
    if (this.#isOver) return;
    const isAboutRequest = message.method === undefined && (message.id ?? null) === null && isRecord(message.error);
    const answer = isAboutRequest ? { ...message, id } : message;
    if (answer.method === undefined && answer.id === id) this.#open.delete(id);
    this.#listener.onMessage(answer);
  }

  #unanswered(id: RequestId, end: WireEnd): void {
    if (this.#open.delete(id) && !this.#isOver) this.#listener.onUnanswered(id, end);
  }

  #endBy(error: unknown): WireEnd {
    if (error instanceof WireError) return error.end;
    const message = printable(this.#address.redact(error instanceof Error ? error.message : String(error)));
    return { code: 'MCP_SERVER_UNREACHABLE', what: `could not be reached: ${message.slice(0, 500)}` };
  }

  #end(end: WireEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
    this.#abortAll();
  }

  #abortAll(): void {
    for (const exchange of this.#exchanges) exchange.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#abortAll();
    const older = await this.#older?.catch(() => undefined);
    await older?.[Symbol.asyncDispose]();
  }
}

function isMessage(value: unknown): value is Message {
  return isRecord(value) && value.jsonrpc === '2.0' && ('method' in value || 'result' in value || 'error' in value);
}

function notAMessage(text: string): WireEnd {
  const what = `answered with something that is not a message: ${printable(text).slice(0, 500)}`;
  return { code: 'MCP_PROTOCOL_VIOLATED', what };
}

function notFollowed({ origin, pathname }: URL, { redact }: AuthorizedAddress): WireError {
  const what = `could not be reached: Redirect to ${printable(redact(`${origin}${pathname}`))} not followed`;
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what });
}
