import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { HttpClient } from '../../shared/http/http-client.ts';

/** A request of an agent as it is passed on. */
export interface UpstreamRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** The reply as soon as its head is there. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Piece by piece, encoded as it was sent; ends with an error where it breaks off. */
  readonly body: Readable;
  /** Comes from a recording. */
  readonly isReplayed: boolean;
}

/** Answers the requests of agents: their provider, or a recording of it. */
export interface Upstream extends Disposable {
  /** Rejects with an `HttpFailure` where there is not a reply, or with the reason of the signal. */
  forward(request: UpstreamRequest): Promise<UpstreamReply>;
}

/** The providers themselves, reached directly or through the proxies that the environment names. */
export class ProviderUpstream implements Upstream {
  readonly #client: HttpClient;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#client = new HttpClient({ env });
  }

  forward({ url, method, headers, body, signal }: UpstreamRequest): Promise<UpstreamReply> {
    const sent = body.length === 0 ? undefined : body;
    return this.#client.open({ url, method, headers, body: sent, signal }, replyOf);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

/** The body stays where it is until it is read, so nothing of it is lost between here and its reader. */
async function replyOf(incoming: IncomingMessage): Promise<UpstreamReply> {
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming, isReplayed: false };
}
