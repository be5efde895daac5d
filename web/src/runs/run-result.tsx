import type { RunItem } from '../../../src/entry/server/api/runs.ts';
import { OutcomeBadge, StatusBadge } from '../kit/badge.tsx';

/** How a run ended, or that it goes on. */
export function RunResult({ run }: { run: Pick<RunItem, 'status' | 'isLive' | 'outcome' | 'totals'> }) {
  if (run.isLive) return <StatusBadge status={run.status} isLive />;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <OutcomeBadge outcome={run.outcome} />
      {run.status !== 'finished' && <StatusBadge status={run.status} isLive={false} />}
    </span>
  );
}
