import { randomUUID } from 'node:crypto';
import type { BatchApi, BatchConnection } from './batch-api.ts';
import { BatchRefusal } from './batch-api.ts';
import type { BatchFolder, Submission } from './batch-folder.ts';
import type { BatchedCalls, PendingRequest } from './batched-calls.ts';

/** The batches of one provider. */
export interface BatchProvider {
  readonly api: BatchApi;
  readonly connection: BatchConnection;
}

type FindProvider = (name: string) => Promise<BatchProvider>;

/** Providers take more in one batch, and large files are slow to upload. */
const mostRequests = 10_000;

/** Fetches the replies of batches that are done; gives a line for each that is not. */
export async function collectReplies(folder: BatchFolder, providerOf: FindProvider): Promise<string[]> {
  const open: string[] = [];
  for (const submission of await folder.submissions()) {
    if (submission.isDone) continue;
    const { api, connection } = await providerOf(submission.provider);
    const batchId = submission.batchId ?? (await api.findLost(submission, connection));
    if (batchId === undefined) {
      await folder.removeSubmission(submission);
      continue;
    }
    const found = { ...submission, batchId };
    if (submission.batchId === null) await folder.saveSubmission(found);
    const look = await api.look(batchId, connection);
    if (!look.isDone) {
      open.push(`${batchId} at ${submission.provider}: ${look.text}`);
      continue;
    }
    if (look.replies.size > 0 && !submission.keys.some((key) => look.replies.has(key))) {
      // Found by its time and size, and it was the batch of another program.
      await folder.removeSubmission(found);
      continue;
    }
    for (const key of submission.keys) await folder.writeReply(key, look.replies.get(key) ?? look.missing);
    await folder.saveSubmission({ ...found, isDone: true });
  }
  return open;
}

/** Sends the collected requests that no open batch holds; gives a line for each batch. */
export async function sendBatches(calls: BatchedCalls, providerOf: FindProvider): Promise<string[]> {
  const { folder } = calls;
  const held = new Set((await folder.submissions()).flatMap(({ isDone, keys }) => (isDone ? [] : keys)));
  const waiting = calls.takePending().filter(({ key }) => !held.has(key));
  const lines: string[] = [];
  for (const requests of grouped(waiting)) {
    const provider = requests[0]?.provider ?? '';
    const batchId = await send(requests, folder, await providerOf(provider));
    lines.push(`${batchId} at ${provider}: ${requests.length} sent`);
  }
  return lines;
}

/** The submission is on disk before the batch can exist, so no batch is ever sent twice. */
async function send(
  requests: readonly PendingRequest[],
  folder: BatchFolder,
  { api, connection }: BatchProvider,
): Promise<string> {
  const submission: Submission = {
    id: randomUUID(),
    provider: requests[0]?.provider ?? '',
    keys: requests.map(({ key }) => key),
    sentAt: Date.now(),
    batchId: null,
    isDone: false,
  };
  await folder.saveSubmission(submission);
  try {
    const batchId = await api.submit(submission.id, requests, connection);
    await folder.saveSubmission({ ...submission, batchId });
    return batchId;
  } catch (error) {
    // Without an answer, or with one of a gateway, the batch may exist; it is looked for the next time.
    if (error instanceof BatchRefusal && error.code !== 'MODEL_UNAVAILABLE') await folder.removeSubmission(submission);
    throw error;
  }
}

/** A batch has one model and one kind of request. */
function grouped(requests: readonly PendingRequest[]): PendingRequest[][] {
  const groups = new Map<string, PendingRequest[]>();
  for (const request of requests) {
    const name = JSON.stringify([request.provider, request.path, request.model]);
    groups.set(name, [...(groups.get(name) ?? []), request]);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / mostRequests) }, (_, index) =>
      group.slice(index * mostRequests, (index + 1) * mostRequests),
    ),
  );
}
