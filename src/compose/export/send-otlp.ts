import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { decodeResponse, encodeExport, type Signal } from '../../load/collect/otlp-protobuf.ts';
import { TimeLimit } from '../../shared/async.ts';
import { receiveBody } from '../../shared/http/decoded-body.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import { pauseBeforeRetry } from '../../shared/http/retry-after.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { OtlpDestination } from './otlp-destination.ts';

/** How a request ended. */
export type SentResult =
  /** `rejected`: spans or log records that the receiver refused; they must not be sent again. */
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string }
  /** The content is refused; another attempt would not help. */
  | { readonly kind: 'refused'; readonly failure: string }
  /** The receiver has no such path. */
  | { readonly kind: 'missing'; readonly failure: string }
  /** Not now, or not with these headers. */
  | { readonly kind: 'failed'; readonly failure: string };

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface SendOptions {
  readonly client: HttpClient;
  readonly destination: OtlpDestination;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

const pauses = { firstMs: 500, longestMs: 30_000 };
const mostAnswerBytes = 1_000_000;
/** Statuses after which OTLP wants the same request again. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const ofContent: ReadonlySet<number> = new Set([400, 413, 422]);
const ofPath: ReadonlySet<number> = new Set([404, 405, 501]);

/** Sends a message until it is taken, refused, or the signal is aborted; pauses grow. */
export async function sendOtlp(message: object, kind: Signal, options: SendOptions): Promise<SentResult> {
  const body = await bodyOf(message, kind, options.destination);
  let failure = 'there was no time for an attempt';
  for (let attempts = 1; !options.signal.aborted; attempts += 1) {
    const answer = await post(body, kind, options);
    if (typeof answer !== 'string') {
      const { status } = answer;
      if (status >= 200 && status < 300) return taken(answer);
      failure = `status ${status}${messageIn(answer)}`;
      if (ofContent.has(status)) return { kind: 'refused', failure };
      if (ofPath.has(status)) return { kind: 'missing', failure };
      if (!retried.has(status)) return { kind: 'failed', failure };
    } else failure = answer;
    await pauseBeforeRetry(attempts, pauses, typeof answer === 'string' ? {} : answer.headers, options.signal);
  }
  return { kind: 'failed', failure };
}

async function bodyOf(message: object, kind: Signal, destination: OtlpDestination): Promise<Uint8Array> {
  const { isJson, isGzip } = destination[kind];
  const bytes = isJson ? Buffer.from(JSON.stringify(message)) : encodeExport(message, kind);
  return isGzip ? promisify(gzip)(bytes) : bytes;
}

/** The answer, or why there is none. */
async function post(
  body: Uint8Array,
  kind: Signal,
  { client, destination, signal }: SendOptions,
): Promise<Answer | string> {
  const { url, headers, isJson, isGzip, timeoutMs } = destination[kind];
  using limit = new TimeLimit(timeoutMs, signal);
  const sent = {
    ...headers,
    'content-type': isJson ? 'application/json' : 'application/x-protobuf',
    ...(isGzip && { 'content-encoding': 'gzip' }),
  };
  try {
    return await client.open({ url, method: 'POST', headers: sent, body, signal: limit.signal }, (incoming) => {
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

/** A success may refuse a part; a body that cannot be read does not undo a success. */
function taken(answer: Answer): SentResult {
  const parsed = responseIn(answer);
  const partial = isRecord(parsed) && isRecord(parsed.partialSuccess) ? parsed.partialSuccess : {};
  const rejected = Number(partial.rejectedSpans ?? partial.rejectedLogRecords ?? 0);
  const message = typeof partial.errorMessage === 'string' ? partial.errorMessage : '';
  return { kind: 'taken', rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0, message };
}

function responseIn({ headers, body }: Answer): unknown {
  if (/json/.test(headers['content-type'] ?? '')) return parseJson(body.toString('utf8'));
  try {
    return decodeResponse(body);
  } catch {
    return undefined;
  }
}

const longestMessage = 200;

/** The receiver's message about a failure, where it is JSON or plain text. */
function messageIn({ headers, body }: Answer): string {
  const type = headers['content-type'] ?? '';
  const text = body.toString('utf8');
  const parsed = /json/.test(type) ? parseJson(text) : undefined;
  const message = isRecord(parsed) ? parsed.message : /^text\/plain/.test(type) ? text : undefined;
  return typeof message === 'string' && message.trim() !== '' ? `: ${message.trim().slice(0, longestMessage)}` : '';
}
