import type { IncomingHttpHeaders } from 'node:http';
import { HttpFailure } from '../../shared/http/exchange.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import type { Pace } from '../pacing/pace.ts';

/** A request to the API of a provider. */
interface ProviderRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface ProviderResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Posts one request and receives the whole response. */
export type Send = (request: ProviderRequest) => Promise<ProviderResponse>;

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

/** Sends on kept connections, with bounded responses and without following redirects. */
export function sendThrough(client: HttpClient, pace?: Pick<Pace, 'observe'>): Send {
  return async (request) => {
    const sentAtMs = Date.now();
    const response = await client.send({ ...request, method: 'POST', bodyLimitBytes }).catch((error: unknown) => {
      request.signal.throwIfAborted();
      throw error instanceof HttpFailure ? new NoAnswerError(request.url.host, error) : error;
    });
    pace?.observe({ ...response, sentAtMs });
    return response;
  };
}
