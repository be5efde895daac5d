import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { shorten } from '../../../shared/text.ts';
import type { BatchedReply, Submission } from './batch-folder.ts';
import type { PendingRequest } from './batched-calls.ts';

/** How the batches of one account are reached; rejects where there was no answer. */
export interface BatchConnection {
  send(request: {
    readonly method: 'GET' | 'POST';
    /** Below the base URL, such as `/batches`; or a whole URL of the same origin. */
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: string | undefined;
  }): Promise<{ readonly status: number; readonly body: string }>;
}

/** The state of a batch at its provider. */
export type BatchLook =
  | { readonly isDone: false; readonly text: string }
  | { readonly isDone: true; readonly replies: ReadonlyMap<string, BatchedReply>; readonly missing: BatchedReply };

/** How one provider's batches are spoken to. */
export interface BatchApi {
  /** The id of the batch. A rejection with a `BatchRefusal` says that there is none. */
  submit(id: string, requests: readonly PendingRequest[], connection: BatchConnection): Promise<string>;
  look(batchId: string, connection: BatchConnection): Promise<BatchLook>;
  /** A batch whose id never arrived here; undefined where the provider has none. */
  findLost(submission: Submission, connection: BatchConnection): Promise<string | undefined>;
}

/** An answer of the provider that something was not done. */
export class BatchRefusal extends AssayError {}

/** The document of a successful answer. */
export async function documentFrom(
  connection: BatchConnection,
  request: Parameters<BatchConnection['send']>[0],
): Promise<Record<string, unknown>> {
  const document = parseJson(await textFrom(connection, request));
  return isRecord(document) ? document : {};
}

/** The text of a successful answer. */
export async function textFrom(
  connection: BatchConnection,
  request: Parameters<BatchConnection['send']>[0],
): Promise<string> {
  const { status, body } = await connection.send(request);
  if (status < 300) return body;
  const message = `The provider refused ${request.method} ${request.path} for a batch: status ${status}: ${shorten(body, 300)}`;
  throw new BatchRefusal(codeOf(status), message);
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'MODEL_UNAUTHORIZED';
  if (status === 429) return 'MODEL_RATE_LIMITED';
  return status >= 500 ? 'MODEL_UNAVAILABLE' : 'MODEL_BAD_REQUEST';
}

/** The documents of a JSONL text. */
export function linesOf(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => {
    const value = line.trim() === '' ? undefined : parseJson(line);
    return isRecord(value) ? [value] : [];
  });
}

/** A field that should be a text. */
export function textIn(document: unknown, name: string): string | undefined {
  const value = isRecord(document) ? document[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The reply of a request that the batch did not answer. */
export function failedReply(message: string, type: string): BatchedReply {
  return { status: 503, body: JSON.stringify({ error: { message, type } }) };
}

/** Headers of a collected request that its batch needs too. */
export function batchHeaders(requests: readonly PendingRequest[]): Record<string, string> {
  const { 'content-type': _, 'content-length': __, ...headers } = requests[0]?.headers ?? {};
  return headers;
}
