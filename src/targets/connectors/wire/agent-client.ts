import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { bodyLimitBytes } from '../../http-answer.ts';
import { withPatience } from './patient-agent.ts';

/** Hears of an answer while it arrives. */
export type TextListener = (text: string) => void;

export interface AgentRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Asked once the head of an answer is there, for who wants its text piece by piece. */
  listenerFor?(status: number, headers: IncomingHttpHeaders): TextListener | undefined;
}

export interface AgentAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** On the clock of `performance.now()`. */
  readonly sentAtMs: number;
  readonly latencyMs: number;
}

/** Why there is no answer. */
export type FailureKind = 'unreachable' | 'broken-off' | 'too-large';

/** An exchange that ended without an answer. */
export class ExchangeFailure extends Error {
  readonly kind: FailureKind;
  /** True when the agent cannot have seen the request, so that sending it again does nothing twice. */
  readonly isUnsent: boolean;

  constructor(kind: FailureKind, message: string, isUnsent: boolean, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.isUnsent = isUnsent;
  }
}

/** Shorter than servers usually keep idle connections, so that hardly any is met that the server is just closing. */
const idleLimitMs = 4_000;
/** Before each further try of a request that nobody has seen. */
const pausesMs: readonly number[] = [50, 200];

/**
 * Sends requests to an agent over kept connections. An agent may book, pay or remember, so a request is sent again
 * only when it is certain that nobody has seen it whole.
 */
export class AgentClient implements Disposable {
  readonly #http = withPatience(new HttpAgent({ keepAlive: true, timeout: idleLimitMs }));
  readonly #https = withPatience(new HttpsAgent({ keepAlive: true, timeout: idleLimitMs }));

  /** One exchange; redirects are answers like any other. Rejects with an `ExchangeFailure`. */
  async send(request: AgentRequest): Promise<AgentAnswer> {
    const agent = request.url.protocol === 'https:' ? this.#https : this.#http;
    for (const pauseMs of pausesMs) {
      try {
        return await exchange(request, agent);
      } catch (error) {
        if (!(error instanceof ExchangeFailure) || !error.isUnsent || request.signal.aborted) throw error;
      }
      await pause(pauseMs, undefined, { signal: request.signal });
    }
    return exchange(request, agent);
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

function exchange(sent: AgentRequest, agent: HttpAgent): Promise<AgentAnswer> {
  return new Promise((resolve, reject) => {
    const { url, method, headers, signal } = sent;
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sentAtMs = performance.now();
    let isHandedOver = false;
    let isAnswered = false;
    const outgoing = start(url, { method, headers, signal, agent }, (incoming) => {
      isAnswered = true;
      readBody(incoming, sent).then((body) => {
        const { statusCode: status = 0, headers: received } = incoming;
        resolve({ status, headers: received, body, sentAtMs, latencyMs: performance.now() - sentAtMs });
      }, reject);
    });
    outgoing.on('finish', () => {
      isHandedOver = true;
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (isAnswered) return;
      const isUnsent = error.code === 'ECONNREFUSED' || (outgoing.reusedSocket && !isHandedOver);
      reject(new ExchangeFailure('unreachable', reasonOf(error), isUnsent, error));
    });
    outgoing.end(sent.body);
  });
}

/** By events: iterating over an answer takes several times as long, and most answers are one piece. */
function readBody(incoming: IncomingMessage, { listenerFor }: AgentRequest): Promise<string> {
  const listener = listenerFor?.(incoming.statusCode ?? 0, incoming.headers);
  const decoder = listener ? new StringDecoder('utf8') : undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyLimitBytes) {
        reject(new ExchangeFailure('too-large', `more than ${bodyLimitBytes / 1e6} MB`, false));
        incoming.destroy();
        return;
      }
      chunks.push(chunk);
      if (decoder) listener?.(decoder.write(chunk));
    });
    incoming.on('end', () => {
      if (decoder) listener?.(decoder.end());
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    const breakOff = (reason: string): void => reject(new ExchangeFailure('broken-off', reason, false));
    incoming.on('error', (error) => breakOff(reasonOf(error)));
    // A connection that is closed in the middle may end without an error.
    incoming.on('close', () => {
      if (!incoming.complete) breakOff('the connection was closed');
    });
  });
}

/** A host with several addresses gives an error of its own for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
