import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { ReviewItem, ReviewQueue } from '../../../../src/entry/server/api/review.ts';
import { agreementQuery, reviewQueueQuery, writeLabel } from '../../data/queries.ts';
import { useToast } from '../../kit/toast.tsx';

export type Label = ReviewItem['label'];

/** The previous label of a trial, for undo. */
interface GivenLabel {
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

/** The shown trial: the requested one, or the first without a label, or the first. */
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

export interface Labelling {
  readonly canUndo: boolean;
  readonly label: (label: Label, note?: string) => void;
  readonly undo: () => void;
  readonly move: (direction: 1 | -1) => void;
}

/** The actions on the shown trial. A label appears at once; one that could not be saved is removed again. */
export function useLabelling(queue: ReviewQueue, item: ReviewItem, rater: string, run: string): Labelling {
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/review' });
  const toast = useToast();
  const [given, setGiven] = useState<readonly GivenLabel[]>([]);
  const queryKey = reviewQueueQuery(rater, run).queryKey;

  const show = useCallback(
    (trialId: string) =>
      void navigate({ search: (known) => ({ ...known, trial: trialId }), replace: true, resetScroll: false }),
    [navigate],
  );
  const apply = (change: GivenLabel): void => {
    client.setQueryData<ReviewQueue>(queryKey, (known) => known && withLabel(known, change));
  };
  const keep = async (change: GivenLabel, before: GivenLabel): Promise<void> => {
    apply(change);
    try {
      const { trialId, label, note } = change;
      await writeLabel({ trialId, label, rater, note: note ?? '' });
      void client.invalidateQueries({ queryKey: agreementQuery().queryKey });
    } catch (error) {
      apply(before);
      toast.show(`Not kept: ${error instanceof Error ? error.message : String(error)}`, 'bad');
    }
  };

  return {
    canUndo: given.length > 0,
    label(label, note = item.note ?? '') {
      const before = { trialId: item.trialId, label: item.label, note: item.note };
      void keep({ trialId: item.trialId, label, note: note === '' ? null : note }, before);
      setGiven((known) => [...known, before]);
      if (label === null || label === item.label) return;
      const next = nextUnlabelled(queue.items, item.trialId);
      if (next !== undefined) show(next.trialId);
      else if (queue.labelled + 1 < queue.judged) void client.refetchQueries({ queryKey });
    },
    undo() {
      const last = given.at(-1);
      if (last === undefined) return;
      const now = queue.items.find(({ trialId }) => trialId === last.trialId);
      setGiven((known) => known.slice(0, -1));
      void keep(last, { trialId: last.trialId, label: now?.label ?? null, note: now?.note ?? null });
      show(last.trialId);
    },
    move(direction) {
      const next = neighbour(queue.items, item.trialId, direction);
      if (next !== undefined) show(next.trialId);
    },
  };
}
