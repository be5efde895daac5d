import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Dashboard, RunItem } from '../../../../src/entry/server/api/runs.ts';
import { figureText } from '../../../../src/report/compare/figure-words.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { dashboardQuery, statusQuery } from '../../data/queries.ts';
import { LinkButton } from '../../kit/button.tsx';
import { TrendChart, type TrendPoint } from '../../kit/chart-trend.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Duration, Money, OutcomeBar, When } from '../../kit/figures.tsx';
import { Card, ErrorView, Page, Skeleton } from '../../kit/page.tsx';
import { runColumns } from '../runs/run-columns.tsx';
import { RunResult, runTitle } from '../runs/run-summary.tsx';
import { StartRunButton } from '../runs/start-run.tsx';
import { FailureStrip } from './failure-strip.tsx';
import { FirstMinute } from './first-minute.tsx';
import { passRatePoints, trendPoint } from './trend-points.ts';
import { WhatBroke } from './what-broke.tsx';

/** The newest run in a few words. */
function LatestRun({ run }: { run: RunItem }) {
  const { totals } = run;
  return (
    <Card
      isColumn
      title="Latest run"
      actions={
        <LinkButton size="sm" to="/runs/$runId" params={{ runId: run.runId }}>
          Open
        </LinkButton>
      }
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <RunResult run={run} />
        <Link
          to="/runs/$runId"
          params={{ runId: run.runId }}
          className="min-w-0 font-medium underline-offset-2 hover:underline"
        >
          {runTitle(run)}
        </Link>
        <span className="text-muted">
          <When at={run.startedAt} />
        </span>
      </div>
      <OutcomeBar totals={totals} height={12} />
      <p className="text-muted">{run.reason}</p>
      <dl className="flex flex-wrap gap-2 *:grow *:basis-16">
        <Fact name="passed">{grouped(totals.pass)}</Fact>
        <Fact name="failed">{grouped(totals.fail)}</Fact>
        <Fact name="error">{grouped(totals.error)}</Fact>
        <Fact name="not run">{grouped(totals.notRun)}</Fact>
        <Fact name="took">
          <Duration ms={run.durationMs} />
        </Fact>
        <Fact name="cost">
          <Money usd={run.costUsd} />
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}

/** The last few runs. */
function RecentRuns({ runs }: { runs: readonly RunItem[] }) {
  return (
    <Card
      title="Recent runs"
      isFlush
      actions={
        <LinkButton size="sm" to="/runs">
          All runs
        </LinkButton>
      }
    >
      <DataTable
        label="Recent runs"
        columns={runColumns}
        rows={runs}
        rowKey={({ runId }) => runId}
        rowLink={({ runId }) => ({ to: '/runs/$runId', params: { runId } })}
      />
    </Card>
  );
}

/** Pass rate and cost, run after run, for each set of scenarios. */
function Trends({ trends }: { trends: Dashboard['trends'] }) {
  const drawn = trends.filter(({ trend }) => passRatePoints(trend).length > 1);
  if (drawn.length === 0) return null;
  return (
    <Card title="Over time">
      <ul className="flex flex-col gap-6">
        {drawn.map((set) => (
          <SetTrend key={set.trend[0]?.runId} set={set} />
        ))}
      </ul>
    </Card>
  );
}

function SetTrend({ set: { scenarioNames, scenarioCount, trend } }: { set: Dashboard['trends'][number] }) {
  const title = runTitle({ name: null, scenarioNames, scenarioCount });
  const costs = trend.flatMap((run): TrendPoint[] =>
    run.costUsd === null ? [] : [{ ...trendPoint(run), y: run.costUsd }],
  );
  const isCostly = costs.some(({ y }) => y > 0);
  return (
    <li className="min-w-0">
      <h3 className="mb-1 font-medium">{title}</h3>
      <div className={isCostly ? 'grid gap-6 lg:grid-cols-2' : ''}>
        <TrendChart
          label="Pass rate, with 95 % intervals"
          points={passRatePoints(trend)}
          format={percentText}
          bounds={[0, 1]}
        />
        {isCostly && (
          <TrendChart label="Cost of a run" points={costs} format={(value) => figureText(value, 'usd')} bounds={[0]} />
        )}
      </div>
    </li>
  );
}

/** How things stand: the latest run, what broke, and how it went over time. */
export function DashboardPage() {
  const status = useQuery(statusQuery());
  const dashboard = useQuery(dashboardQuery());
  const latest = dashboard.data?.latest ?? undefined;
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
          <FailureStrip strip={dashboard.data.strip} />
          <Trends trends={dashboard.data.trends} />
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
