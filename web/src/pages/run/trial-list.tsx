import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListFilter, X } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { trialTitle, variantText } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import type { RunSearch } from '../../app/search-params.ts';
import { trialListQuery } from '../../data/queries.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Count, Duration, Money, type OutcomeTotals, When } from '../../kit/figures.tsx';
import { Card, EmptyState, ErrorView } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import type { Column } from '../../kit/table-column.ts';
import { SearchInput } from '../../kit/text-input.tsx';

/** Where the list of trials stands on the page. */
const trialListId = 'trials';

/** Brings the list of trials into sight, after something elsewhere on the page has filtered it. */
export function showTrialList(): void {
  document.getElementById(trialListId)?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}

/** How trials stand in lists. */
const trialColumns: readonly Column<TrialItem>[] = [
  {
    key: 'outcome',
    header: 'Outcome',
    width: '5.5rem',
    render: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  {
    key: 'trial',
    header: 'Trial',
    isMain: true,
    width: 'minmax(14rem, 4fr)',
    render: (trial) => (
      <span className="block min-w-0">
        <span className="block truncate font-medium">{trialTitle(trial)}</span>
        <span className="block truncate text-xs text-muted">{trial.reason}</span>
      </span>
    ),
  },
  {
    key: 'started',
    header: 'Started',
    sortKey: 'started',
    width: '6.5rem',
    render: ({ startedAt }) => <When at={startedAt} />,
  },
  {
    key: 'duration',
    header: 'Took',
    sortKey: 'duration',
    align: 'end',
    width: '6rem',
    render: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  {
    key: 'tokens',
    header: 'Tokens',
    align: 'end',
    width: '5rem',
    render: ({ inputTokens, outputTokens }) =>
      inputTokens === null && outputTokens === null ? null : (
        <span title="in and out">
          <Count value={(inputTokens ?? 0) + (outputTokens ?? 0)} />
        </span>
      ),
  },
  {
    key: 'cost',
    header: 'Cost',
    sortKey: 'cost',
    align: 'end',
    width: '5.5rem',
    render: ({ costUsd }) => <Money usd={costUsd} />,
  },
];

/** A variant of the address as text; other text stays as it is. */
function variantLabel(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const isVariant = isRecord(value) && Object.values(value).every((part) => typeof part === 'string');
    return isVariant ? variantText(value) || 'called directly' : json;
  } catch {
    return json;
  }
}

const liveRefetchMs = 2_000;

const outcomeOptions = [
  { value: '', label: 'Any outcome' },
  { value: 'fail,error', label: 'Did not pass' },
  { value: 'fail', label: 'Failed' },
  { value: 'error', label: 'Not judged' },
  { value: 'pass', label: 'Passed' },
  { value: 'skipped', label: 'Skipped' },
];

/** The trials of a run; what is shown stands in the address. */
export function TrialList({ runId, isLive, totals }: { runId: string; isLive: boolean; totals: OutcomeTotals }) {
  const search = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const change = useCallback(
    (part: Partial<RunSearch>) =>
      void navigate({ search: (known) => ({ ...known, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  const query = useInfiniteQuery({
    ...trialListQuery(runId, search),
    // A user who has scrolled far is reading and does not need updates.
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 2 ? liveRefetchMs : false),
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const hasFilter = Boolean(search.outcome || search.scenario || search.variant || search.text);
  const clear = (): void => change({ outcome: undefined, scenario: undefined, variant: undefined, text: undefined });
  const finished = totals.pass + totals.fail + totals.error;
  return (
    <div id={trialListId} className="min-h-96 scroll-mt-4">
      <Card
        isFlush
        title={
          <>
            Trials <span className="font-normal text-muted tabular-nums">{grouped(finished)}</span>
          </>
        }
        actions={
          <>
            <Select
              label="Outcome"
              options={outcomeOptions}
              value={search.outcome ?? ''}
              onChange={(outcome) => change({ outcome: outcome || undefined })}
            />
            <SearchInput
              value={search.text ?? ''}
              onChange={(text) => change({ text: text || undefined })}
              placeholder="Case, reason or id"
              label="Search trials"
            />
          </>
        }
      >
        <div className="flex flex-wrap items-center gap-2 px-4 empty:hidden not-empty:py-2">
          {search.scenario !== undefined && (
            <FilterChip label={search.scenario} onClear={() => change({ scenario: undefined })} />
          )}
          {search.variant !== undefined && (
            <FilterChip label={variantLabel(search.variant)} onClear={() => change({ variant: undefined })} />
          )}
        </div>
        {query.isError && query.data === undefined ? (
          <div className="p-4">
            <ErrorView error={query.error} onRetry={() => void query.refetch()} />
          </div>
        ) : (
          <DataTable
            label="Trials"
            columns={trialColumns}
            rows={rows}
            rowKey={({ trialId }) => trialId}
            rowLink={({ trialId }) => ({ to: '/trials/$trialId', params: { trialId } })}
            isLoading={query.isPending || query.isFetchingNextPage}
            hasMore={query.hasNextPage}
            onEndReached={() => void query.fetchNextPage()}
            sort={{ key: search.order ?? 'plan', direction: search.direction ?? 'asc' }}
            onSort={({ key, direction }) => change({ order: orderOf(key), direction })}
            empty={
              <EmptyState
                icon={<ListFilter size={20} />}
                title={
                  hasFilter ? 'No trial is like that' : isLive ? 'No trial has finished yet' : 'No trial has been run'
                }
                action={hasFilter ? <Button onClick={clear}>Show all trials</Button> : undefined}
              />
            }
          />
        )}
      </Card>
    </div>
  );
}

function FilterChip({ label, onClear }: { label: string; onClear: () => void }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-raised py-0.5 pr-1 pl-2.5 text-xs">
      <span className="truncate">{label}</span>
      <button
        type="button"
        aria-label={`Remove the filter ${label}`}
        onClick={onClear}
        className="rounded-full p-0.5 text-muted hover:text-ink"
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}

function orderOf(key: string): RunSearch['order'] {
  return key === 'duration' || key === 'cost' || key === 'started' ? key : undefined;
}
