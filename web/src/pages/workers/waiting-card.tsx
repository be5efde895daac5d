import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Workers } from '../../../../src/entry/server/api/workers.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/card.tsx';
import { Count } from '../../kit/figures.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

type WaitingRun = Workers['waiting'][number];

/** Runs that are left to the workers, and why nobody takes them. */
export function WaitingCard({ runs, hasWorkers }: { runs: readonly WaitingRun[]; hasWorkers: boolean }) {
  if (runs.length === 0)
    return (
      <Card title="Queue">
        <p className="text-muted">{hasWorkers ? 'Nothing waits.' : 'Nothing waits, and nobody would take it.'}</p>
      </Card>
    );
  return (
    <Card title="Queue" isFlush>
      <SmallTable
        label="Runs that are left to workers"
        columns={[
          { header: 'Run' },
          { header: 'Waiting', isFigure: true },
          { header: 'At work', isFigure: true },
          { header: 'Done', isFigure: true },
          { header: 'Priority', isFigure: true },
          { header: 'Why it waits' },
        ]}
        rows={runs.map((run) => ({ key: run.runId, cells: cellsOf(run, hasWorkers) }))}
      />
    </Card>
  );
}

function cellsOf(run: WaitingRun, hasWorkers: boolean): readonly ReactNode[] {
  return [
    <Link
      key="run"
      to="/runs/$runId"
      params={{ runId: run.runId }}
      className="rounded font-mono text-xs text-accent hover:underline"
    >
      {run.runId}
    </Link>,
    <Count key="waiting" value={run.waiting} />,
    <Count key="running" value={run.running} />,
    <Count key="done" value={run.done} />,
    <Count key="priority" value={run.priority} />,
    <WhyWaiting key="why" run={run} hasWorkers={hasWorkers} />,
  ];
}

function WhyWaiting({ run, hasWorkers }: { run: WaitingRun; hasWorkers: boolean }) {
  if (run.whyNobody !== null)
    return (
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone="warn">nobody can</Badge> {run.whyNobody}
      </span>
    );
  if (run.waiting === 0) return <span className="text-muted">nothing waits</span>;
  return <span className="text-muted">{hasWorkers ? 'all places are taken' : 'there are no workers'}</span>;
}
