import type { ReviewItem, ReviewQueue } from '../../../../src/entry/server/api/review.ts';

export type Label = ReviewItem['label'];

/** What a rater said of a trial before they said something else. */
export interface GivenLabel {
  readonly trialId: string;
  readonly label: Label;
  readonly note: string | null;
}

/** The queue after a trial was given another label; its order stays. */
export function withLabel(queue: ReviewQueue, { trialId, label, note }: GivenLabel): ReviewQueue {
  const before = queue.items.find((item) => item.trialId === trialId);
  if (before === undefined) return queue;
  const items = queue.items.map((item) => (item === before ? { ...item, label, note } : item));
  return { ...queue, items, labelled: queue.labelled + Number(label !== null) - Number(before.label !== null) };
}

/** The trial that is shown: the one that is asked for, or the first without a label, or the first. */
export function shownItem(items: readonly ReviewItem[], trialId: string | undefined): ReviewItem | undefined {
  return items.find((item) => item.trialId === trialId) ?? items.find(({ label }) => label === null) ?? items[0];
}

/** The next trial without a label after this one, from the start again where there is none behind it. */
export function nextUnlabelled(items: readonly ReviewItem[], trialId: string): ReviewItem | undefined {
  const place = items.findIndex((item) => item.trialId === trialId);
  return [...items.slice(place + 1), ...items.slice(0, Math.max(place, 0))].find(({ label }) => label === null);
}

/** The trial before or after this one; the same one at the ends. */
export function neighbour(items: readonly ReviewItem[], trialId: string, direction: 1 | -1): ReviewItem | undefined {
  const place = items.findIndex((item) => item.trialId === trialId);
  return items[Math.min(Math.max(place + direction, 0), items.length - 1)];
}
