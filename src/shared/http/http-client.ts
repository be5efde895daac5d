import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { isWholeText } from '../utf8.ts';
import { receiveBody } from './decoded-body.ts';
import { exchange, HttpFailure, type WireRequest } from './exchange.ts';
import { type Route, Routes } from './proxies.ts';

/** Hears of a body while it arrives. */
export type TextListener = (text: string) => void;

export interface HttpRequest extends WireRequest {
  /** The most that is read of a body, after decompression; a longer one is a failure. */
  readonly bodyLimitBytes: number;
  /** Called once the head of a response is there, for a listener that wants its text piece by piece. */
  listenerFor?(status: number, headers: IncomingHttpHeaders): TextListener | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** On the clock of `performance.now()`. */
  readonly sentAtMs: number;
  readonly latencyMs: number;
}

interface HttpClientOptions {
  /** Where proxies are named: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Pauses before further tries of a request of which no byte was sent: no server listened, or a kept connection had been closed. */
  readonly unsentPausesMs?: readonly number[];
}

/**
 * The one HTTP client: kept connections, proxies, decompression, bounded bodies; redirects are responses like any
 * other. A server may pay, book, remember or bill, so a request is sent again only when no byte of it has left. A caller that
 * wants more than that repeats the call and accounts for it.
 */
export class HttpClient implements Disposable {
  readonly #routes: Routes;
  readonly #unsentPausesMs: readonly number[];

  constructor({ env, unsentPausesMs = [0] }: HttpClientOptions) {
    this.#routes = new Routes(env);
    this.#unsentPausesMs = unsentPausesMs;
  }

  /** One exchange. Rejects with an `HttpFailure`, or with the reason of the signal. */
  send(request: HttpRequest): Promise<HttpResponse> {
    const sentAtMs = performance.now();
    return this.#exchange(request, (incoming) => readResponse(incoming, request, sentAtMs));
  }

  /** Sends a request and gives the response as soon as its head is there; `receive` must listen before it returns. */
  open<Result>(request: WireRequest, receive: (incoming: IncomingMessage) => Promise<Result>): Promise<Result> {
    return this.#exchange(request, receive);
  }

  [Symbol.dispose](): void {
    this.#routes[Symbol.dispose]();
  }

  async #exchange<Result>(
    request: WireRequest,
    receive: (incoming: IncomingMessage) => Promise<Result>,
  ): Promise<Result> {
    const route = this.#routeTo(request.url);
    for (const pauseMs of this.#unsentPausesMs) {
      try {
        return await exchange(request, route, receive);
      } catch (error) {
        if (!isUnsent(error) || request.signal.aborted) throw error;
      }
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal: request.signal });
    }
    return exchange(request, route, receive);
  }

  #routeTo(url: URL): Route {
    try {
      return this.#routes.to(url);
    } catch (error) {
      throw new HttpFailure('unreachable', error instanceof Error ? error.message : String(error), false, error);
    }
  }
}

const transientCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Whether a request never left and may well get through on another connection. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof HttpFailure) || error.wasSent || !(error.cause instanceof Error)) return false;
  return transientCodes.has((error.cause as NodeJS.ErrnoException).code);
}

function readResponse(
  incoming: IncomingMessage,
  { bodyLimitBytes, listenerFor }: HttpRequest,
  sentAtMs: number,
): Promise<HttpResponse> {
  const { statusCode: status = 0, headers } = incoming;
  const listener = listenerFor?.(status, headers);
  const decoder = listener ? new StringDecoder('utf8') : undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    receiveBody(incoming, bodyLimitBytes, {
      data(chunk) {
        chunks.push(chunk);
        if (decoder) listener?.(decoder.write(chunk));
      },
      end() {
        if (decoder) listener?.(decoder.end());
        const [first] = chunks;
        const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
        const body = bodyText(bytes, headers['content-type'] ?? '');
        if (body === undefined && status >= 200 && status <= 299)
          return reject(new HttpFailure('unreadable', 'text that is not in the encoding of its type', true));
        const text = body ?? bytes.toString('utf8');
        resolve({ status, headers, body: text, sentAtMs, latencyMs: performance.now() - sentAtMs });
      },
      fail: reject,
    });
  });
}

const textTypes = /^$|json|xml|^text\//i;

/** A body in the encoding that its type declares, else in UTF-8; undefined for text that is not in it. */
function bodyText(bytes: Buffer, type: string): string | undefined {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  const text = /^utf-?8$/i.test(charset) ? bytes.toString('utf8') : decodedAs(charset, bytes);
  // Text in UTF-16 that is read as UTF-8 has NUL in every other place.
  const isWhole = isWholeText(text, bytes) && !text.includes('\0');
  return isWhole || !textTypes.test(type) ? text : undefined;
}

function decodedAs(charset: string, bytes: Buffer): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
