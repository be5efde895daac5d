import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { TrialSearch } from '../../app/page-search.ts';
import { tracePageQuery } from '../../data/trials.ts';
import { ErrorView } from '../../kit/error-view.tsx';
import { Skeleton } from '../../kit/skeleton.tsx';
import { pageSize } from '../trial/trace/trace-pages.ts';
import { TracePanel } from '../trial/trace/trace-panel.tsx';
import { type AddressChange, changedSearch } from '../trial/use-trial-address.ts';

/** What happened in a trial, with no way to what was said of it. */
export function ReviewTrace({ trialId, lengthMs }: { trialId: string; lengthMs: number }) {
  const { data, error, refetch } = useQuery(tracePageQuery(trialId, 0, pageSize));
  const [search, setSearch] = useState<TrialSearch>({});
  const change = useCallback((part: AddressChange) => setSearch((known) => changedSearch(known, part)), []);
  return (
    <div className="h-[calc(100dvh-var(--bar-height)-1rem)] overflow-hidden rounded-lg border border-line bg-surface lg:sticky lg:top-4 lg:h-[calc(100dvh-2rem)]">
      {data === undefined ? (
        <div className="p-4">
          {error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Skeleton lines={12} />}
        </div>
      ) : (
        <TracePanel
          trialId={trialId}
          total={data.total}
          lengthMs={lengthMs}
          address={{ search, visit: String(search.event), change }}
          isBlind
        />
      )}
    </div>
  );
}
