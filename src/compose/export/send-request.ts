import type { IncomingHttpHeaders } from 'node:http';
import { TimeLimit } from '../../shared/async.ts';
import { receiveBody } from '../../shared/http/decoded-body.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import { pauseBeforeRetry } from '../../shared/http/retry-after.ts';
import { isRecord, parseJson } from '../../shared/json.ts';

/** A request to a receiver of runs. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Whether sending it twice does what sending it once does; others are repeated only where the receiver did nothing. */
  readonly isRepeatable: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How a request ended that has no success. */
export interface Failure {
  /**
   * `refused`: the content, so another attempt would not help. `missing`: the receiver has no such path. `failed`: not
   * now, or not with these headers.
   */
  readonly kind: 'refused' | 'missing' | 'failed';
  readonly failure: string;
  /** Undefined where there was no answer. */
  readonly status?: number | undefined;
}

export type Sent = { readonly kind: 'answered'; readonly answer: Answer } | Failure;

interface SendOptions {
  readonly client: HttpClient;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

const pauses = { firstMs: 500, longestMs: 30_000 };
const mostAnswerBytes = 10_000_000;
/** Statuses after which the same request may be sent again; after the first, the receiver has done nothing. */
const nothingDone = 429;
const retried: ReadonlySet<number> = new Set([nothingDone, 502, 503, 504]);
const ofContent: ReadonlySet<number> = new Set([400, 413, 422]);
const ofPath: ReadonlySet<number> = new Set([404, 405, 501]);

/** Sends a request until it is answered, refused, or the signal is aborted; pauses grow. */
export async function sendRequest(request: OutgoingRequest, options: SendOptions): Promise<Sent> {
  let failed: Failure = { kind: 'failed', failure: 'there was no time for an attempt' };
  for (let attempts = 1; !options.signal.aborted; attempts += 1) {
    const answer = await attempt(request, options);
    if (typeof answer === 'string') failed = { kind: 'failed', failure: answer };
    else {
      const { status } = answer;
      if (status >= 200 && status < 300) return { kind: 'answered', answer };
      const kind = ofContent.has(status) ? 'refused' : ofPath.has(status) ? 'missing' : 'failed';
      failed = { kind, status, failure: `status ${status}${messageIn(answer)}` };
      if (!retried.has(status)) return failed;
    }
    if (!request.isRepeatable && failed.status !== nothingDone) return failed;
    await pauseBeforeRetry(attempts, pauses, typeof answer === 'string' ? {} : answer.headers, options.signal);
  }
  return failed;
}

/** The answer, or why there is none. */
async function attempt(
  { url, method, headers, body, timeoutMs }: OutgoingRequest,
  { client, signal }: SendOptions,
): Promise<Answer | string> {
  using limit = new TimeLimit(timeoutMs, signal);
  try {
    return await client.open({ url, method, headers, body, signal: limit.signal }, (incoming) => {
      const { statusCode: status = 0, headers: received } = incoming;
      const chunks: Buffer[] = [];
      return new Promise<Answer>((resolve, reject) => {
        receiveBody(incoming, mostAnswerBytes, {
          data: (chunk) => void chunks.push(chunk),
          end: () => resolve({ status, headers: received, body: Buffer.concat(chunks) }),
          fail: reject,
        });
      });
    });
  } catch (error) {
    if (limit.signal.aborted) return 'it did not answer in time';
    return error instanceof Error ? error.message : String(error);
  }
}

const longestMessage = 200;

/** The receiver's message about a failure, where it is JSON or plain text. */
function messageIn({ headers, body }: Answer): string {
  const type = headers['content-type'] ?? '';
  const text = body.toString('utf8');
  const parsed = /json/.test(type) ? parseJson(text) : undefined;
  const message = isRecord(parsed)
    ? [parsed.message, parsed.error, parsed.detail].find((part) => typeof part === 'string')
    : /^text\/plain/.test(type)
      ? text
      : undefined;
  return typeof message === 'string' && message.trim() !== '' ? `: ${message.trim().slice(0, longestMessage)}` : '';
}
