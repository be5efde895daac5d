import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import type { CollectedTraceItem } from '../../../../src/entry/server/api/traces.ts';
import { counted } from '../../../../src/shared/format.ts';
import { rulesQuery, tracesQuery } from '../../data/queries.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Select } from '../../kit/field.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { Card, EmptyCard, EmptyState, ErrorView, Page } from '../../kit/page.tsx';
import type { Column } from '../../kit/table-column.ts';
import { useRead } from '../../kit/use-read.tsx';
import { RuleTrends } from './rule-trends.tsx';

/** Traces that applications sent: the newest first, and how the rules of the config judged each. */
export function TracesPage() {
  const { run } = useSearch({ from: '/traces' });
  const navigate = useNavigate({ from: '/traces' });
  const traces = useInfiniteQuery(tracesQuery(run));
  const [first] = traces.data?.pages ?? [];
  const rows = traces.data?.pages.flatMap(({ items }) => items) ?? [];
  if (first?.runId === null) return <NothingCollected />;
  return (
    <Page
      title="Traces"
      subtitle={first ? `${counted(first.total, 'trace')} of applications in this period` : ' '}
      actions={
        first?.runId && (
          <>
            <Select
              label="Period"
              options={first.periods.map(({ runId, name, isLive }) => ({
                value: runId,
                label: isLive ? `${name}, goes on` : name,
              }))}
              value={first.runId}
              onChange={(chosen) =>
                void navigate({ search: { run: chosen === first.periods[0]?.runId ? undefined : chosen } })
              }
            />
            <LinkButton to="/runs/$runId" params={{ runId: first.runId }}>
              As a run
            </LinkButton>
          </>
        )
      }
    >
      <Rules />
      {traces.isError && first === undefined ? (
        <ErrorView error={traces.error} onRetry={() => void traces.refetch()} />
      ) : (
        <Card isFlush>
          <DataTable
            label="Traces"
            columns={columns}
            rows={rows}
            rowKey={({ trialId }) => trialId}
            rowLink={({ trialId }) => ({ to: '/trials/$trialId', params: { trialId } })}
            isLoading={traces.isPending || traces.isFetchingNextPage}
            hasMore={traces.hasNextPage}
            onEndReached={() => void traces.fetchNextPage()}
            empty={<EmptyState icon={<Radio size={20} />} title="No trace is complete yet" />}
          />
        </Card>
      )}
    </Page>
  );
}

function Rules() {
  const [data, instead] = useRead(rulesQuery(), 4);
  if (!data) return instead;
  if (data.items.length > 0) return <RuleTrends rules={data.items} />;
  return (
    <Card title="Rules">
      <p className="text-muted">
        The config has no rules yet: assertions and judges under <code>rules</code> are applied to traces as they come.{' '}
        <Link to="/settings" search={{ tab: 'config' }}>
          Edit the config
        </Link>
      </p>
    </Card>
  );
}

const columns: readonly Column<CollectedTraceItem>[] = [
  {
    key: 'trace',
    header: 'Trace',
    width: 'minmax(12rem, 3fr)',
    isMain: true,
    render: ({ service, caseId, input }) => (
      <>
        <span className="block truncate font-medium">{input ?? caseId}</span>
        <span className="block truncate text-xs text-muted">{input === null ? service : `${service} · ${caseId}`}</span>
      </>
    ),
  },
  {
    key: 'verdicts',
    header: 'Rules',
    width: 'minmax(11rem, 2fr)',
    render: ({ verdicts }) => <Verdicts verdicts={verdicts} />,
  },
  { key: 'started', header: 'Started', width: '6.5rem', render: ({ startedAt }) => <When at={startedAt} /> },
  {
    key: 'duration',
    header: 'Took',
    width: '6rem',
    align: 'end',
    render: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  { key: 'cost', header: 'Cost', width: '5.5rem', align: 'end', render: ({ costUsd }) => <Money usd={costUsd} /> },
];

/** Each leads to the trial in which its rule judged the trace. */
function Verdicts({ verdicts }: Pick<CollectedTraceItem, 'verdicts'>) {
  if (verdicts.length === 0) return <span className="text-muted">not judged</span>;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {verdicts.map(({ rule, trialId, outcome, reason }) => (
        <Link
          key={rule}
          to="/trials/$trialId"
          params={{ trialId }}
          title={reason}
          className="flex min-w-0 items-center gap-1 hover:underline"
        >
          <OutcomeBadge outcome={outcome} />
          <span className="truncate text-xs">{rule}</span>
        </Link>
      ))}
    </span>
  );
}

function NothingCollected() {
  return (
    <Page title="Traces" subtitle="What applications do, judged by rules">
      <EmptyCard icon={<Radio size={22} />} title="No application has sent a trace yet">
        <p className="mb-2">
          Applications send OTLP to <code>/v1/traces</code> of this server, with a token that only sends:
        </p>
        <CommandLine command="ASSAY_COLLECT_TOKEN=… assay serve" />
      </EmptyCard>
    </Page>
  );
}
