import type { HttpClient } from '../shared/http.ts';
import { ReceivedResponse } from './received-response.ts';

/** No model answers with more; what is longer is cut, and then is no reply any more. */
const bodyLimitBytes = 32 * 1024 * 1024;

/** The server could not be reached, or broke off before its answer was complete. */
export class NoAnswerError extends Error {
  /** True when it is certain that the server never saw the request. */
  readonly neverArrived: boolean;

  constructor(message: string, neverArrived: boolean) {
    super(message);
    this.name = 'NoAnswerError';
    this.neverArrived = neverArrived;
  }
}

const neverArrivedCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/** `fetch` as the SDK calls it, on kept connections, with bounded answers and without following redirects. */
export function fetchThrough(client: HttpClient): typeof globalThis.fetch {
  let last: URL | undefined;
  const urlOf = (address: string): URL => {
    // A model is asked at one address, again and again.
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
    const { status, headers, body } = await client.send(request).catch((error: unknown) => {
      signal.throwIfAborted();
      throw noAnswer(url, error);
    });
    return new ReceivedResponse(status, headers, body) as unknown as Response;
  };
}

function plainHeaders(headers: RequestInit['headers']): Record<string, string> {
  const isPlain = headers !== undefined && !Array.isArray(headers) && !(headers instanceof Headers);
  return isPlain ? (headers as Record<string, string>) : Object.fromEntries(new Headers(headers));
}

function noAnswer(url: URL, error: unknown): NoAnswerError {
  // A host with several addresses gives an error of its own for each.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error ? ((first as NodeJS.ErrnoException).code ?? '') : '';
  const message = first instanceof Error ? first.message : String(first);
  const reason = code === '' || message.includes(code) ? message : `${message} (${code})`;
  return new NoAnswerError(`no answer from ${url.host}: ${reason}`, neverArrivedCodes.has(code));
}
