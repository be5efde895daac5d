import { AssayError } from '../../../domain/errors.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { OpenSessionOptions } from '../session.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { Fetch } from './environment-fetch.ts';
import type { AuthorizedAddress } from './http-address.ts';
import { endBy, followRedirects, isEventStream, type Message, readMessages, requestIdOf } from './http-messages.ts';
import { tooLong, type Wire, type WireEnd, WireError, type WireListener } from './wire.ts';
import { withinLimits } from './within-limits.ts';

type Options = Pick<OpenSessionOptions, 'timeoutMs' | 'signal'>;

/** The older pair of an event stream with all messages of the server, and posts to the address that it names first. */
export async function openEventStream(
  address: AuthorizedAddress,
  options: Options,
  listener: WireListener,
): Promise<Wire> {
  const wire = new EventStreamWire(address, listener);
  try {
    await withinLimits(wire.open(), options, 'an event stream');
  } catch (error) {
    await wire[Symbol.asyncDispose]();
    throw notOpened(error, options, address.redact);
  }
  return wire;
}

/**
 * A stream that broke off is not opened again here: on a new one the server knows nothing of the session.
 */
class EventStreamWire implements Wire {
  readonly #address: AuthorizedAddress;
  readonly #listener: WireListener;
  readonly #fetch: Fetch;
  readonly #closing = new AbortController();
  #endpoint: URL | undefined;
  #version: string | undefined;
  #isOver = false;
  readonly processTag = undefined;

  constructor(address: AuthorizedAddress, listener: WireListener) {
    this.#address = address;
    this.#listener = listener;
    const { redact, authorization, fetch } = address;
    const onTooLong = (): void => this.#end(tooLong);
    this.#fetch = checkedFetch({ redact, fetch, authorization, hasAnswers: false, onTooLong });
  }

  /** Resolves when the server has said where messages go. */
  async open(): Promise<void> {
    const response = await this.#send(this.#address.url, { method: 'GET' }, { accept: 'text/event-stream' });
    if (!isEventStream(response)) {
      await response.body?.cancel();
      throw new Error(`its content type is ${response.headers.get('content-type') ?? 'missing'}`);
    }
    await new Promise<void>((resolve, reject) => {
      const onEvent = (type: string, data: string): void => {
        if (type !== 'endpoint' || this.#endpoint) return;
        this.#endpoint = this.#endpointAt(data);
        if (this.#endpoint) resolve();
        else reject(new Error('it names an address for messages at another origin'));
      };
      void this.#read(response, onEvent).then(() => reject(new Error('it ended before it named an address')));
    });
  }

  async send(message: Message): Promise<void> {
    if (this.#isOver || !this.#endpoint) return;
    try {
      const body = JSON.stringify(message);
      const response = await this.#send(
        this.#endpoint,
        { method: 'POST', body },
        { 'content-type': 'application/json' },
      );
      await response.body?.cancel();
    } catch (error) {
      const id = requestIdOf(message);
      if (id !== undefined && !this.#isOver) this.#listener.onUnanswered(id, endBy(error, this.#address.redact));
    }
  }

  /** The answer comes on the common stream. */
  cancel(): false {
    return false;
  }

  useProtocolVersion(version: string): void {
    this.#version = version;
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#closing.abort();
  }

  async #read(response: Response, onEvent: (type: string, data: string) => void): Promise<void> {
    const { redact } = this.#address;
    const onMessage = (message: Message): void => {
      if (!this.#isOver) this.#listener.onMessage(message);
    };
    const onStray = (text: string): void => {
      if (!this.#isOver) this.#listener.onStray(text);
    };
    await readMessages(response, redact, { onMessage, onStray, onEvent });
    if (this.#endpoint) this.#end({ code: 'MCP_SERVER_DIED', what: 'closed its event stream' });
  }

  #endpointAt(text: string): URL | undefined {
    const { url } = this.#address;
    const endpoint = URL.canParse(text, url.href) ? new URL(text, url) : undefined;
    return endpoint?.origin === url.origin ? endpoint : undefined;
  }

  #send(start: URL, init: RequestInit, given: Readonly<Record<string, string>>): Promise<Response> {
    const version = this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version };
    const headers = { ...given, ...version, ...this.#address.headers };
    const { signal } = this.#closing;
    return followRedirects(this.#address, start, (url) =>
      this.#fetch(url, { ...init, headers, signal, redirect: 'manual' }),
    );
  }

  #end(end: WireEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
    this.#closing.abort();
  }
}

function notOpened(error: unknown, { timeoutMs }: Options, redact: Clean): unknown {
  if (error instanceof WireError) return error;
  if (error instanceof AssayError) {
    if (error.code !== 'MCP_SERVER_TIMEOUT') return error;
    return new WireError({ code: error.code, what: `did not begin an event stream within ${timeoutMs} ms` });
  }
  const why = printable(redact(error instanceof Error ? error.message : String(error)));
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: `did not begin an event stream: ${why}` });
}
