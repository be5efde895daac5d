import { isRecord } from '../../../shared/json.ts';
import { type BatchApi, batchHeaders, failedReply, linesOf, textIn } from './batch-api.ts';
import type { BatchedReply } from './batch-folder.ts';

const path = '/messages/batches';
/** Clocks of two machines may differ by this much. */
const clockToleranceMs = 300_000;

/** Anthropic's message batches. They carry nothing of ours but the keys of the requests, which only their results show. */
export const anthropicBatches: BatchApi = {
  async submit(_id, requests, connection) {
    const batch = await connection.document({
      method: 'POST',
      path,
      headers: { ...batchHeaders(requests), 'content-type': 'application/json' },
      body: JSON.stringify({
        requests: requests.map(({ key, body }) => ({ custom_id: key, params: JSON.parse(body) })),
      }),
    });
    return textIn(batch, 'id') ?? '';
  },

  async look(batchId, connection) {
    const batch = await connection.document({ method: 'GET', path: `${path}/${batchId}` });
    const state = textIn(batch, 'processing_status') ?? 'unknown';
    if (state !== 'ended') return { isDone: false, text: `${state}, ${countIn(batch, 'succeeded')} done` };
    const replies = new Map<string, BatchedReply>();
    const results = await connection.text({ method: 'GET', path: `${path}/${batchId}/results` });
    for (const line of linesOf(results)) {
      const key = textIn(line, 'custom_id');
      if (key !== undefined) replies.set(key, replyIn(line.result));
    }
    return { isDone: true, replies, missing: failedReply('The batch has no result for this request.', 'batch_ended') };
  },

  /** One that was made at that time with as many requests; whose it is shows when it has results. */
  async findLost({ sentAt, keys }, connection) {
    const { data } = await connection.document({ method: 'GET', path: `${path}?limit=100` });
    for (const batch of Array.isArray(data) ? data.filter(isRecord) : []) {
      const id = textIn(batch, 'id');
      const createdAt = Date.parse(textIn(batch, 'created_at') ?? '');
      if (id === undefined || !(createdAt >= sentAt - clockToleranceMs) || totalOf(batch) !== keys.length) continue;
      const look = await this.look(id, connection);
      if (!look.isDone || keys.some((key) => look.replies.has(key))) return id;
    }
    return undefined;
  },
};

function replyIn(result: unknown): BatchedReply {
  const type = textIn(result, 'type') ?? 'unknown';
  const { message, error } = isRecord(result) ? result : {};
  if (type === 'succeeded') return { status: 200, body: JSON.stringify(message) };
  const reported = isRecord(error) && isRecord(error.error) ? error.error : error;
  const text = textIn(reported, 'message') ?? `The request of the batch is ${type}.`;
  return failedReply(text, textIn(reported, 'type') ?? `batch_${type}`);
}

const countNames = ['processing', 'succeeded', 'errored', 'canceled', 'expired'];

function totalOf(batch: Record<string, unknown>): number {
  return countNames.reduce((sum, name) => sum + countIn(batch, name), 0);
}

function countIn({ request_counts: counts }: Record<string, unknown>, name: string): number {
  const count = isRecord(counts) ? counts[name] : undefined;
  return typeof count === 'number' ? count : 0;
}
