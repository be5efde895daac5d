import { isRecord } from '../../../shared/json.ts';
import {
  type BatchApi,
  type BatchConnection,
  type BatchLook,
  batchHeaders,
  failedReply,
  linesOf,
  textIn,
} from './batch-api.ts';
import type { BatchedReply } from './batch-folder.ts';

const submissionField = 'assay_submission';
const doneStates = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** OpenAI's batches: a file of requests is uploaded, and two files come back. */
export const openaiBatches: BatchApi = {
  async submit(id, requests, connection) {
    const headers = batchHeaders(requests);
    const lines = requests.map(({ key, path, body }) =>
      JSON.stringify({ custom_id: key, method: 'POST', url: path, body: JSON.parse(body) }),
    );
    const file = await connection.document({ method: 'POST', path: '/files', ...upload(id, lines, headers) });
    const batch = await connection.document({
      method: 'POST',
      path: '/batches',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        input_file_id: textIn(file, 'id'),
        endpoint: requests[0]?.path,
        completion_window: '24h',
        metadata: { [submissionField]: id },
      }),
    });
    return textIn(batch, 'id') ?? '';
  },

  async look(batchId, connection) {
    const batch = await connection.document({ method: 'GET', path: `/batches/${batchId}` });
    const state = textIn(batch, 'status') ?? 'unknown';
    if (!doneStates.has(state)) return { isDone: false, text: progressText(state, batch.request_counts) };
    const replies = new Map<string, BatchedReply>();
    for (const name of ['error_file_id', 'output_file_id']) {
      const fileId = textIn(batch, name);
      if (fileId !== undefined) await readReplies(fileId, connection, replies);
    }
    const problem = isRecord(batch.errors) && Array.isArray(batch.errors.data) ? batch.errors.data[0] : undefined;
    const reason = textIn(problem, 'message') ?? `The batch ended as ${state} without a reply to this request.`;
    return { isDone: true, replies, missing: failedReply(reason, `batch_${state}`) };
  },

  async findLost({ id }, connection) {
    const { data } = await connection.document({ method: 'GET', path: '/batches?limit=100' });
    const batches = Array.isArray(data) ? data.filter(isRecord) : [];
    return textIn(
      batches.find(({ metadata }) => textIn(metadata, submissionField) === id),
      'id',
    );
  },
};

function upload(id: string, lines: readonly string[], headers: Readonly<Record<string, string>>) {
  const boundary = `assay-${id}`;
  const part = (head: string, content: string): string => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: [
      part('Content-Disposition: form-data; name="purpose"', 'batch'),
      part(
        'Content-Disposition: form-data; name="file"; filename="requests.jsonl"\r\nContent-Type: application/jsonl',
        lines.join('\n'),
      ),
      `--${boundary}--\r\n`,
    ].join(''),
  };
}

async function readReplies(
  fileId: string,
  connection: BatchConnection,
  replies: Map<string, BatchedReply>,
): Promise<void> {
  for (const line of linesOf(await connection.text({ method: 'GET', path: `/files/${fileId}/content` }))) {
    const key = textIn(line, 'custom_id');
    if (key === undefined) continue;
    const { response, error } = line;
    const isAnswered = isRecord(response) && typeof response.status_code === 'number';
    replies.set(
      key,
      isAnswered
        ? { status: Number(response.status_code), body: JSON.stringify(response.body) }
        : failedReply(
            textIn(error, 'message') ?? 'The batch did not answer this request.',
            textIn(error, 'code') ?? '',
          ),
    );
  }
}

function progressText(state: string, counts: unknown): Extract<BatchLook, { isDone: false }>['text'] {
  const { completed, total } = isRecord(counts) ? counts : {};
  return typeof completed === 'number' && typeof total === 'number' ? `${state}, ${completed} of ${total} done` : state;
}
