import type * as z from 'zod';
import type { CalibrationLabel } from '../../../score/judge/calibration.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { ReviewItem, ReviewQueue, reviewQuery } from '../api/review.ts';
import type { ProjectDesk } from '../project-desk.ts';
import type { JudgedTrial } from './judged-trials.ts';
import { labelFileName } from './label-file.ts';

/** The next trials for a rater, and how far they have come. */
export async function readReviewQueue(
  { run, rater, limit }: z.output<typeof reviewQuery>,
  desk: Pick<ProjectDesk, 'judgedTrials' | 'labels'>,
): Promise<ReviewQueue> {
  const items = reviewItems(await desk.judgedTrials.of(run), await desk.labels.read(), rater);
  const labelled = items.filter(({ label }) => label !== null).length;
  return { items: items.slice(0, limit), labelled, judged: items.length, file: labelFileName };
}

/** What a rater is asked next: in an order of their own that never changes, what they have not labelled first. */
export function reviewItems(
  trials: readonly JudgedTrial[],
  labels: readonly CalibrationLabel[],
  rater: string,
): ReviewItem[] {
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
