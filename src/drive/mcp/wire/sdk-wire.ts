import {
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { AssayError } from '../../../domain/errors.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { OpenSessionOptions } from '../session.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { AuthorizedAddress } from './http-address.ts';
import { type RequestId, tooLong, type Wire, type WireEnd, WireError, type WireListener } from './wire.ts';
import { withinLimits } from './within-limits.ts';

/** Time in which a server may say that it knows that the session is over. */
const shutdownGraceMs = 1_000;

/** The parts of the SDK's transports that are used. */
interface SdkTransport extends Transport {
  terminateSession?(): Promise<void>;
}

/** A transport of the SDK as a wire: each of its failures ends one request, or all of them. */
class SdkWire implements Wire {
  readonly #transport: SdkTransport;
  readonly #listener: WireListener;
  readonly #redact: Redact;
  readonly #open = new Map<RequestId, AbortController>();
  #isOver = false;

  constructor(transport: SdkTransport, listener: WireListener, redact: Redact) {
    this.#transport = transport;
    this.#listener = listener;
    this.#redact = redact;
    transport.onmessage = (message) => {
      if (this.#isOver) return;
      if ('id' in message && message.id !== undefined && !('method' in message)) this.#open.delete(message.id);
      listener.onMessage(message);
    };
    transport.onerror = (error) => {
      if (!this.#isOver && isUnreadable(error)) listener.onStray(error.message);
    };
  }

  async send(message: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#isOver) return;
    const id = requestIdOf(message);
    const options = id === undefined ? {} : this.#optionsFor(id);
    try {
      await this.#transport.send(message as unknown as JSONRPCMessage, options);
    } catch (error) {
      if (id !== undefined) this.#unanswered(id, this.#endBy(error));
    }
  }

  cancel(requestId: RequestId): boolean {
    this.#open.get(requestId)?.abort();
    this.#open.delete(requestId);
    return false;
  }

  useProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  get processTag(): undefined {
    return undefined;
  }

  stderr(): undefined {
    return undefined;
  }

  /** The wire is of no use any more. */
  end(end: WireEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
    void this.#transport.close().catch(() => undefined);
  }

  #optionsFor(id: RequestId): TransportSendOptions {
    const abort = new AbortController();
    this.#open.set(id, abort);
    const onRequestStreamEnd = (): void => {
      this.#unanswered(id, { code: 'MCP_SERVER_DIED', what: 'closed the stream without the answer' });
    };
    return { requestSignal: abort.signal, onRequestStreamEnd };
  }

  #unanswered(id: RequestId, end: WireEnd): void {
    this.#open.delete(id);
    if (!this.#isOver) this.#listener.onUnanswered(id, end);
  }

  #endBy(error: unknown): WireEnd {
    if (error instanceof WireError) return error.end;
    const message = printable(this.#redact(error instanceof Error ? error.message : String(error))).slice(0, 500);
    if (isUnreadable(error)) {
      return { code: 'MCP_PROTOCOL_VIOLATED', what: `answered with something that is not a message: ${message}` };
    }
    return { code: 'MCP_SERVER_UNREACHABLE', what: `could not be reached: ${message}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver && this.#transport.terminateSession) {
      this.#isOver = true;
      const timer = setTimeout(() => void this.#transport.close(), shutdownGraceMs);
      await this.#transport.terminateSession().catch(() => undefined);
      clearTimeout(timer);
    }
    this.#isOver = true;
    await this.#transport.close().catch(() => undefined);
  }
}

/** Undefined for notifications, and for answers to requests of the server. */
function requestIdOf({ id, method }: Readonly<Record<string, unknown>>): RequestId | undefined {
  return method !== undefined && (typeof id === 'number' || typeof id === 'string') ? id : undefined;
}

/** An error of the SDK about a message that it could not read. */
function isUnreadable(error: unknown): error is Error {
  return error instanceof SyntaxError || (error instanceof Error && 'issues' in error);
}

/** How often the SDK asks for the rest of an answer whose stream broke off. */
const resumption = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 2,
};

type Options = Pick<OpenSessionOptions, 'timeoutMs' | 'signal'>;

/** Versions of streamable HTTP with a handshake. */
export async function openStreamable(
  { url, headers, redact, authorization, fetch: send }: AuthorizedAddress,
  listener: WireListener,
): Promise<Wire> {
  const fetch = checkedFetch({
    redact,
    fetch: send,
    authorization,
    hasAnswers: true,
    onTooLong: () => wire.end(tooLong),
    onFailure: () => undefined,
  });
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch,
    reconnectionOptions: resumption,
  });
  const wire = new SdkWire(transport, listener, redact);
  await transport.start();
  return wire;
}

/**
 * The older pair of an event stream and posts. The transport would open a stream that broke off again, on which the server knows nothing of
 * the session.
 */
export async function openEventStream(
  address: AuthorizedAddress,
  options: Options,
  listener: WireListener,
): Promise<Wire> {
  const { url, headers, redact, authorization, fetch: send } = address;
  let failure: WireError | undefined;
  const fetch = checkedFetch({
    redact,
    fetch: send,
    authorization,
    hasAnswers: false,
    onTooLong: () => wire.end(tooLong),
    onFailure: (error) => {
      failure = error;
    },
  });
  const transport = new SSEClientTransport(url, { requestInit: { headers }, fetch });
  const wire = new SdkWire(transport, listener, redact);
  let isOpen = false;
  const onUnreadable = transport.onerror;
  transport.onerror = (error) => {
    if (isOpen && SseError.isInstance(error)) wire.end({ code: 'MCP_SERVER_DIED', what: 'closed its event stream' });
    else onUnreadable?.(error);
  };
  const opening = transport.start().then(() => {
    isOpen = true;
  });
  try {
    await withinLimits(opening, options, 'an event stream');
  } catch (error) {
    await transport.close();
    throw failure ?? notOpened(error, options, redact);
  }
  return wire;
}

function notOpened(error: unknown, { timeoutMs }: Options, redact: Redact): unknown {
  if (error instanceof AssayError) {
    if (error.code !== 'MCP_SERVER_TIMEOUT') return error;
    return new WireError({ code: error.code, what: `did not begin an event stream within ${timeoutMs} ms` });
  }
  const why = printable(redact(error instanceof Error ? error.message : String(error)));
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: `did not begin an event stream: ${why}` });
}
