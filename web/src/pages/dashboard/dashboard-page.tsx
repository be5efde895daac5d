import { useQuery } from '@tanstack/react-query';
import { dashboardQuery, statusQuery } from '../../data/queries.ts';
import { Card } from '../../kit/card.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Page } from '../../kit/page.tsx';
import { Skeleton } from '../../kit/skeleton.tsx';
import { StartRunButton } from '../../runs/start-run-button.tsx';
import { FirstMinute } from './first-minute.tsx';
import { LatestRun } from './latest-run.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { Trends } from './trends.tsx';
import { WhatBroke } from './what-broke.tsx';

/** How things stand: the latest run, what broke, and how it went over time. */
export function DashboardPage() {
  const status = useQuery(statusQuery());
  const dashboard = useQuery(dashboardQuery());
  const [latest] = dashboard.data?.recent ?? [];
  return (
    <Page
      title="Dashboard"
      subtitle={status.data?.project ?? ' '}
      actions={status.data?.hasScenarios ? <StartRunButton /> : undefined}
    >
      {dashboard.isError && dashboard.data === undefined && (
        <ErrorView error={dashboard.error} onRetry={() => void dashboard.refetch()} />
      )}
      {dashboard.isPending && <DashboardSkeleton />}
      {dashboard.data !== undefined && latest === undefined && (
        <FirstMinute hasScenarios={status.data?.hasScenarios ?? false} />
      )}
      {dashboard.data !== undefined && latest !== undefined && (
        <>
          <div className="grid gap-4 xl:grid-cols-2">
            <LatestRun run={latest} />
            <WhatBroke broke={dashboard.data.broke} />
          </div>
          <Trends trend={dashboard.data.trend} />
          <RecentRuns runs={dashboard.data.recent} />
        </>
      )}
    </Page>
  );
}

function DashboardSkeleton() {
  return (
    <>
      <div className="grid gap-4 xl:grid-cols-2">
        <Card title="Latest run">
          <Skeleton lines={5} />
        </Card>
        <Card title="What broke">
          <Skeleton lines={5} />
        </Card>
      </div>
      <Card title="Over time">
        <Skeleton lines={6} />
      </Card>
    </>
  );
}
