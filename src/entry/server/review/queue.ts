import type * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { CalibrationLabel } from '../../../score/judge/calibration.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { ReviewItem, ReviewQueue, reviewQuery, WriteLabel } from '../api/review.ts';
import type { ServerContext } from '../context.ts';
import type { ProjectCache } from '../project-cache.ts';
import { isJudged, type JudgedTrial, judgedTrial } from './judged-trials.ts';
import { labelFileName } from './labels.ts';

/** The next trials for a rater, and how far they have come. */
export async function readReviewQueue(
  { run, rater, limit }: z.output<typeof reviewQuery>,
  projectCache: Pick<ProjectCache, 'judgedTrials' | 'labels'>,
): Promise<ReviewQueue> {
  const items = reviewItems(await projectCache.judgedTrials.of(run), await projectCache.labels.read(), rater);
  const labelled = items.filter(({ label }) => label !== null).length;
  return { items: items.slice(0, limit), labelled, judged: items.length, file: labelFileName };
}

/** The next trials for a rater, unlabelled ones first, in an order that is stable and different for each rater. */
function reviewItems(trials: readonly JudgedTrial[], labels: readonly CalibrationLabel[], rater: string): ReviewItem[] {
  const own = new Map(labels.filter((each) => (each.rater ?? '') === rater).map((each) => [each.trialId, each]));
  const items = trials.map((trial) => {
    const given = own.get(trial.trialId);
    return { item: { ...trial, label: given?.label ?? null, note: given?.note ?? null }, place: placeOf(trial, rater) };
  });
  items.sort((a, b) => Number(a.item.label !== null) - Number(b.item.label !== null) || compared(a.place, b.place));
  return items.map(({ item }) => item);
}

function placeOf({ trialId }: JudgedTrial, rater: string): string {
  return sha256(JSON.stringify([rater, trialId]));
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Keeps what a rater says of a judged trial, and gives the trial as the queue has it. */
export async function writeLabel(
  { trialId, label, rater, note, sawVerdict }: WriteLabel,
  { store, projectCache }: Pick<ServerContext, 'store' | 'projectCache'>,
): Promise<ReviewItem> {
  const record = await store.findTrial(trialId);
  if (record?.trialId !== trialId) throw new AssayError('NOT_FOUND', `There is no trial "${trialId}".`);
  if (!isJudged(record) && !sawVerdict) {
    throw new AssayError('USAGE', `No judge gave a verdict in the trial "${trialId}".`, {
      hint: 'Label trials that were judged.',
    });
  }
  await projectCache.labels.change({ trialId, rater, label, note, sawVerdict });
  const given = (await projectCache.labels.read()).find(
    (each) => each.trialId === trialId && (each.rater ?? '') === rater,
  );
  return { ...judgedTrial(record), label: given?.label ?? null, note: given?.note ?? null };
}
