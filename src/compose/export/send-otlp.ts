import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { decodeResponse, encodeExport, type Signal } from '../../load/collect/otlp-protobuf.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { OtlpDestination } from './otlp-destination.ts';
import { type Answer, type Failure, sendRequest } from './send-request.ts';

/** How a message ended; `rejected`: spans or log records that the receiver refused; they must not be sent again. */
export type SentResult = { readonly kind: 'taken'; readonly rejected: number; readonly message: string } | Failure;

interface SendOptions {
  readonly client: HttpClient;
  readonly destination: OtlpDestination;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

/** Sends a message until it is taken, refused, or the signal is aborted. */
export async function sendOtlp(
  message: object,
  kind: Signal,
  { client, destination, signal }: SendOptions,
): Promise<SentResult> {
  const { url, headers, isJson, isGzip, timeoutMs } = destination[kind];
  const bytes = isJson ? Buffer.from(JSON.stringify(message)) : encodeExport(message, kind);
  const request = {
    url,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      ...(isGzip && { 'content-encoding': 'gzip' }),
    },
    body: isGzip ? await promisify(gzip)(bytes) : bytes,
    timeoutMs,
    // Spans and log records have the same ids whenever they are sent.
    isRepeatable: true,
  } as const;
  const sent = await sendRequest(request, { client, signal });
  return sent.kind === 'answered' ? taken(sent.answer) : sent;
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
