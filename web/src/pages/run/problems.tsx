import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FailureClusters } from '../../../../src/entry/server/api/runs.ts';
import { plainOutput } from '../../../../src/report/presentation/trial-text.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { problemsQuery } from '../../data/queries.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { WithCode } from '../../kit/code.tsx';
import { Card, ErrorView, Skeleton } from '../../kit/page.tsx';
import { QuickLink } from '../../kit/quick-link.tsx';
import { useFirstOf } from '../../kit/small-table.tsx';
import { type ListProps, useListed } from './list-props.ts';
import { useTrialChoice } from './trial-choice.tsx';

type Cluster = FailureClusters['clusters'][number];

const shownAtFirst = 5;
const liveRefetchMs = 5_000;

/** The failures of a run, grouped by cause. */
export function Problems({ runId, isLive, onListed }: ListProps) {
  const query = useQuery({
    ...problemsQuery(runId),
    refetchInterval: isLive ? liveRefetchMs : false,
  });
  const [visible, more] = useFirstOf(query.data?.clusters ?? [], shownAtFirst);
  const lines = useMemo(() => (query.data?.clusters ?? []).map(({ example }) => [example.trialId]), [query.data]);
  useListed(lines, onListed);
  return (
    <Card title="What went wrong" isFlush>
      {query.isError && query.data === undefined && (
        <div className="p-4">
          <ErrorView error={query.error} onRetry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && (
        <div className="p-4">
          <Skeleton lines={3} />
        </div>
      )}
      <ul>
        {visible.map((cluster) => (
          <ClusterLine key={`${cluster.outcome} ${cluster.key}`} cluster={cluster} />
        ))}
      </ul>
      {more}
      {query.data?.isComplete === false && (
        <p className="px-4 py-2 text-xs text-muted">Found in the first trials that did not pass; there are more.</p>
      )}
    </Card>
  );
}

function ClusterLine({ cluster }: { cluster: Cluster }) {
  const { example } = cluster;
  const { linkTo } = useTrialChoice();
  return (
    <li className="flex gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <span
        className="w-14 shrink-0 pt-px text-right whitespace-nowrap text-base font-semibold tabular-nums"
        title={counted(cluster.count, 'trial')}
      >
        <span aria-hidden>{grouped(cluster.count)}</span>
        <span className="sr-only">{counted(cluster.count, 'trial')}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <OutcomeBadge outcome={cluster.outcome} />
          <span className="min-w-0 font-medium">{cluster.title}</span>
        </p>
        {example.reason !== cluster.title && <p className="line-clamp-2 text-xs text-muted">{example.reason}</p>}
        {cluster.firstFailure !== null && <p className="text-xs text-muted">{plainOutput(cluster.firstFailure)}</p>}
        <p className="text-xs text-muted">
          {scenariosText(cluster.scenarios)} ·{' '}
          <QuickLink
            link={linkTo(example.trialId)}
            className="font-medium text-accent underline-offset-2 hover:underline"
          >
            Show an example
          </QuickLink>
          {cluster.count > 1 && (
            <>
              {' · '}
              <Link
                from="/runs/$runId"
                search={(known) => ({ ...known, trial: undefined, cluster: cluster.key, outcome: cluster.outcome })}
                resetScroll={false}
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                Show all {counted(cluster.count, 'trial')}
              </Link>
            </>
          )}
          {cluster.nextStep !== '' && (
            <span>
              {' · '}
              <WithCode text={cluster.nextStep} />
            </span>
          )}
        </p>
      </div>
    </li>
  );
}

function scenariosText(scenarios: readonly string[]): string {
  const [first = '', ...others] = scenarios;
  return others.length === 0 ? first : `${first} and ${counted(others.length, 'other scenario')}`;
}
