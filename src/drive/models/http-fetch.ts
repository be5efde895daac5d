import { HttpFailure } from '../../shared/http/exchange.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import type { Pace } from '../pacing/pace.ts';

type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * An answer that has been received whole, with as much of the interface of `Response` as reads it. The real one opens
 * a stream for each answer, which costs more than everything else that a call takes here.
 */
export class ReceivedResponse {
  readonly status: number;
  readonly statusText = '';
  readonly redirected = false;
  readonly type = 'default';
  readonly url = '';
  readonly headers: ReadonlyMap<string, string>;
  readonly #text: string;

  constructor(status: number, headers: SentHeaders, text: string) {
    this.status = status;
    this.headers = headersOf(headers);
    this.#text = text;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** One piece, and then the end. */
  get body() {
    let piece: Uint8Array | undefined = this.#text === '' ? undefined : Buffer.from(this.#text);
    const cancel = async (): Promise<void> => {
      piece = undefined;
    };
    const read = async () => {
      const value = piece;
      piece = undefined;
      return value ? { done: false as const, value } : { done: true as const, value: undefined };
    };
    return { cancel, getReader: () => ({ read, cancel, releaseLock: () => undefined }) };
  }

  async text(): Promise<string> {
    return this.#text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new TextEncoder().encode(this.#text).buffer as ArrayBuffer;
  }
}

/** Names are in lower case; headers that are sent several times are not needed. */
function headersOf(headers: SentHeaders): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') read.set(name, value);
  }
  return read;
}

/** No model answers with more. */
const bodyLimitBytes = 32 * 1024 * 1024;

/** The server could not be reached, or its answer did not arrive whole. */
export class NoAnswerError extends Error {
  /** False only when it is certain that the server never saw the request. */
  readonly wasSent: boolean;
  /** True when there was an answer that cannot be read. */
  readonly isUnreadable: boolean;

  constructor(host: string, { kind, message, wasSent }: HttpFailure) {
    const isUnreadable = kind === 'too-large' || kind === 'unreadable';
    const reason = kind === 'broken-off' ? `the answer broke off: ${message}` : message;
    super(isUnreadable ? `${host} answered with ${message}` : `no answer from ${host}: ${reason}`);
    this.name = 'NoAnswerError';
    this.wasSent = wasSent;
    this.isUnreadable = isUnreadable;
  }
}

/** `fetch` as the SDK calls it, on kept connections, with bounded answers and without following redirects. */
export function fetchThrough(client: HttpClient, pace?: Pick<Pace, 'observe'>): typeof globalThis.fetch {
  let last: URL | undefined;
  const urlOf = (address: string): URL => {
    // A model has one address, which is parsed once.
    if (last?.href !== address) last = new URL(address);
    return last;
  };
  return async (input, init) => {
    const url = urlOf(input instanceof Request ? input.url : String(input));
    const signal = init?.signal ?? new AbortController().signal;
    const request = {
      url,
      method: init?.method ?? 'GET',
      headers: plainHeaders(init?.headers),
      body: typeof init?.body === 'string' ? init.body : undefined,
      bodyLimitBytes,
      signal,
    };
    const sentAtMs = Date.now();
    const { status, headers, body } = await client.send(request).catch((error: unknown) => {
      signal.throwIfAborted();
      throw noAnswer(url, error);
    });
    pace?.observe({ status, headers, sentAtMs });
    return new ReceivedResponse(status, headers, body) as unknown as Response;
  };
}

/** Headers as a plain object. */
export function plainHeaders(headers: RequestInit['headers']): Record<string, string> {
  const isPlain = headers !== undefined && !Array.isArray(headers) && !(headers instanceof Headers);
  return isPlain ? (headers as Record<string, string>) : Object.fromEntries(new Headers(headers));
}

function noAnswer({ host }: URL, error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  return new NoAnswerError(host, error);
}
