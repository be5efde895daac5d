import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import type { Workers } from '../../../../src/entry/server/api/workers.ts';
import { counted } from '../../../../src/shared/format.ts';
import { workersQuery } from '../../data/system.ts';
import { Card } from '../../kit/card.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Page } from '../../kit/page.tsx';
import { Skeleton } from '../../kit/skeleton.tsx';
import { WaitingCard } from './waiting-card.tsx';
import { WorkerCard } from './worker-card.tsx';

/** Who works on the trials of a shared store, and what waits. */
export function WorkersPage() {
  const { data, error, refetch } = useQuery(workersQuery());
  return (
    <Page
      title="Workers"
      subtitle={data?.isShared === true ? summaryOf(data) : 'Machines that run trials of a shared store'}
    >
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
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
    <Card>
      <EmptyState icon={<Server size={22} />} title="Trials are run on this machine">
        <p className="mb-3">
          The store is a file here. To let several machines work on the same runs, keep them in Postgres: copy what
          there is, start workers, and leave runs to them.
        </p>
        <ol className="flex flex-col items-center gap-2">
          <li>
            <CommandLine command="assay store copy sqlite:.assay/assay.db postgres://assay@db/assay" />
          </li>
          <li>
            <CommandLine command="ASSAY_STORE=postgres://assay@db/assay assay worker" />
          </li>
          <li>
            <CommandLine command="ASSAY_STORE=postgres://assay@db/assay assay run --distributed" />
          </li>
        </ol>
      </EmptyState>
    </Card>
  );
}

function NoWorkers() {
  return (
    <Card>
      <EmptyState icon={<Server size={22} />} title="Nobody works here now">
        <p className="mb-2">Start a worker on any machine that reaches the store.</p>
        <CommandLine command="ASSAY_STORE=postgres://… assay worker --concurrency 8" />
      </EmptyState>
    </Card>
  );
}
