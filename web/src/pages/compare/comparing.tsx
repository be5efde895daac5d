import { useQuery } from '@tanstack/react-query';
import { grouped } from '../../../../src/shared/format.ts';
import { workQuery } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Card, Skeleton } from '../../kit/page.tsx';

interface ComparingProps {
  /** Ids of the runs, or their beginnings. */
  readonly runs: readonly string[];
  readonly isCancelled: boolean;
  onCancel(): void;
  onAgain(): void;
}

/** A comparison that is made: how far it is, and a way to end it. */
export function Comparing({ runs, isCancelled, onCancel, onAgain }: ComparingProps) {
  const { data } = useQuery({ ...workQuery(), enabled: !isCancelled });
  const work = data?.items.find(
    ({ kind, runIds }) => kind === 'compare' && runs.every((run) => runIds.some((runId) => runId.startsWith(run))),
  );
  if (isCancelled) {
    return (
      <Card>
        <p className="mb-3">The comparison was cancelled.</p>
        <Button onClick={onAgain}>Compare again</Button>
      </Card>
    );
  }
  return (
    <Card>
      {work && (
        <div className="mb-4 flex items-center justify-between gap-3">
          <p>
            {work.isWaiting
              ? 'Waiting for other comparisons'
              : `${grouped(work.read)} of ${grouped(work.trials)} trials read`}
          </p>
          <Button onClick={onCancel}>Cancel</Button>
        </div>
      )}
      <Skeleton lines={8} />
    </Card>
  );
}
