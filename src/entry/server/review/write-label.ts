import { AssayError } from '../../../domain/errors.ts';
import type { ReviewItem, WriteLabel } from '../api/review.ts';
import type { ServerContext } from '../context.ts';
import { isJudged, judgedTrial } from './judged-trials.ts';

/** Keeps what a rater says of a judged trial, and gives the trial as the queue has it. */
export async function writeLabel(
  { trialId, label, rater, note }: WriteLabel,
  { store, desk }: Pick<ServerContext, 'store' | 'desk'>,
): Promise<ReviewItem> {
  const record = await store.findTrial(trialId);
  if (record?.trialId !== trialId) throw new AssayError('NOT_FOUND', `There is no trial "${trialId}".`);
  if (!isJudged(record)) {
    throw new AssayError('USAGE', `No judge gave a verdict in the trial "${trialId}".`, {
      hint: 'Label trials that were judged.',
    });
  }
  await desk.labels.change({ trialId, rater, label, note });
  const given = (await desk.labels.read()).find((each) => each.trialId === trialId && (each.rater ?? '') === rater);
  return { ...judgedTrial(record), label: given?.label ?? null, note: given?.note ?? null };
}
