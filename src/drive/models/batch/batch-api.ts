import { AssayError } from '../../../domain/errors.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { BatchedReply, Submission } from './batch-folder.ts';
import type { PendingRequest } from './batched-calls.ts';

/** A request about batches. */
interface BatchRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, such as `/batches`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How the batches of one account are reached. Rejects with a `BatchRefusal` where the provider refused a request. */
export interface BatchConnection {
  text(request: BatchRequest): Promise<string>;
  document(request: BatchRequest): Promise<Readonly<Record<string, unknown>>>;
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
