import { Server } from 'lucide-react';
import type { Workers } from '../../../../src/entry/server/api/system.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { workersQuery } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { Card, EmptyCard, Page } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { RunIdLink } from '../../kit/trial-link.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { WorkerCard } from './worker-card.tsx';

type WaitingRun = Workers['waiting'][number];

/** Runs that wait for workers, and why no worker takes them. */
function WaitingCard({ runs, hasWorkers }: { runs: readonly WaitingRun[]; hasWorkers: boolean }) {
  if (runs.length === 0)
    return (
      <Card title="Queue">
        <p className="text-muted">{hasWorkers ? 'Nothing waits.' : 'Nothing waits, and no worker is running.'}</p>
      </Card>
    );
  return (
    <Card title="Queue" isFlush>
      <SmallTable
        label="Runs that are left to workers"
        columns={[
          { header: 'Run', cell: ({ runId }) => <RunIdLink runId={runId} /> },
          { header: 'Waiting', isFigure: true, cell: ({ waiting }) => grouped(waiting) },
          { header: 'At work', isFigure: true, cell: ({ running }) => grouped(running) },
          { header: 'Done', isFigure: true, cell: ({ done }) => grouped(done) },
          { header: 'Priority', isFigure: true, cell: ({ priority }) => grouped(priority) },
          { header: 'Why it waits', cell: (run) => <WhyWaiting run={run} hasWorkers={hasWorkers} /> },
        ]}
        rows={runs}
      />
    </Card>
  );
}

function WhyWaiting({ run, hasWorkers }: { run: WaitingRun; hasWorkers: boolean }) {
  if (run.whyNobody !== null)
    return (
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone="warn">no suitable worker</Badge> {run.whyNobody}
      </span>
    );
  if (run.waiting === 0) return <span className="text-muted">nothing waits</span>;
  return <span className="text-muted">{hasWorkers ? 'all places are taken' : 'there are no workers'}</span>;
}

/** Workers of a shared store, and the trials that wait. */
export function WorkersPage() {
  const [data, instead] = useRead(workersQuery());
  return (
    <Page
      title="Workers"
      subtitle={data?.isShared === true ? summaryOf(data) : 'Machines that run trials of a shared store'}
    >
      {instead}
      {data?.isShared === false && <NotShared />}
      {data?.isShared === true && (
        <>
          <WaitingCard runs={data.waiting} hasWorkers={data.workers.length > 0} />
          {data.workers.length === 0 ? (
            <NoWorkers />
          ) : (
            data.workers.map((worker) => <WorkerCard key={worker.workerId} worker={worker} />)
          )}
        </>
      )}
    </Page>
  );
}

function summaryOf({ workers }: Workers): string {
  const atWork = workers.filter(({ state }) => state !== 'lost');
  const trials = atWork.reduce((sum, { current }) => sum + current.length, 0);
  const places = atWork.reduce((sum, { concurrency }) => sum + concurrency, 0);
  return `${counted(atWork.length, 'worker')}, ${counted(trials, 'trial')} at work in ${counted(places, 'place')}`;
}

function NotShared() {
  return (
    <EmptyCard icon={<Server size={22} />} title="Trials are run on this machine">
      <p className="mb-3">
        The store is a file here. To let several machines work on the same runs, keep them in Postgres: copy what there
        is, start workers, and leave runs to them.
      </p>
      <ol className="flex flex-col items-center gap-2">
        <li>
          <CommandLine command="assay store copy sqlite:.assay/assay.db postgres://assay@db/assay" />
        </li>
        <li>
          <CommandLine command="ASSAY_STORE=postgres://assay@db/assay assay queue worker" />
        </li>
        <li>
          <CommandLine command="ASSAY_STORE=postgres://assay@db/assay assay run --distributed" />
        </li>
      </ol>
    </EmptyCard>
  );
}

function NoWorkers() {
  return (
    <EmptyCard icon={<Server size={22} />} title="No workers are running">
      <p className="mb-2">Start a worker on any machine that reaches the store.</p>
      <CommandLine command="ASSAY_STORE=postgres://… assay queue worker --concurrency 8" />
    </EmptyCard>
  );
}
