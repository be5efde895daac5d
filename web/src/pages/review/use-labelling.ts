import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { ReviewItem, ReviewQueue } from '../../../../src/entry/server/api/review.ts';
import { agreementQuery, reviewQueueQuery, writeLabel } from '../../data/review.ts';
import { useToast } from '../../kit/toast.tsx';
import { type GivenLabel, type Label, neighbour, nextUnlabelled, withLabel } from './labelling.ts';

export interface Labelling {
  readonly canUndo: boolean;
  readonly label: (label: Label, note?: string) => void;
  readonly undo: () => void;
  readonly move: (direction: 1 | -1) => void;
}

/** What can be done with the trial that is shown. A label is on the page at once; one that could not be kept is taken back. */
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
