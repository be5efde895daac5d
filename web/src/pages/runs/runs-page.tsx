import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { GitCompareArrows, ListChecks } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { type RunsSearch, runsSearch } from '../../app/search-params.ts';
import { runListQuery } from '../../data/queries.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { countedText, FilterTools } from '../../kit/filter-tools.tsx';
import { Card, EmptyState, ErrorView, Page } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import type { Column, Sort } from '../../kit/table-column.ts';
import { SearchInput } from '../../kit/text-input.tsx';
import { runColumns } from './run-columns.tsx';
import { afterTick, chosenPair, needsAllRuns, newestFirst, sortedRuns } from './run-list.ts';
import { StartExperimentButton, StartRunButton } from './start-run.tsx';

const startButtons = (
  <>
    <StartExperimentButton />
    <StartRunButton />
  </>
);

/** All runs: found by name or scenario, put in order, and two of them chosen to be compared. */
export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { query, sort, loaded, rows } = useRunList(search);
  const change = useCallback(
    (part: Partial<typeof search>) =>
      void navigate({ search: (known) => ({ ...known, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  const columns = useMemo((): readonly Column<RunItem>[] => {
    const toggle = (runId: string): void => setChosen((known) => afterTick(known, runId));
    return [tickColumn(chosen, toggle), ...runColumns];
  }, [chosen]);
  const hasFilter = search.text !== undefined || search.status !== undefined || search.archived !== undefined;
  const first = query.data?.pages[0];
  const empty = <NoRuns icon={<ListChecks size={22} />} hasFilter={hasFilter} onClear={() => change(noFilter)} />;
  return (
    <Page title="Runs" actions={startButtons}>
      <div className="flex flex-wrap items-center gap-2">
        <RunFilters filter={search} onChange={change} />
        <FilterTools
          list="runs"
          current={search}
          isFiltered={hasFilter}
          onClear={() => change(noFilter)}
          onApply={(saved) => void navigate({ search: runsSearch(saved), replace: true, resetScroll: false })}
        />
        {first && <RunCount found={loaded.length} isMore={query.hasNextPage} all={first.total} filter={search} />}
        <CompareChoice count={chosen.length} pair={chosenPair(chosen, loaded)} onClear={() => setChosen([])} />
      </div>
      {query.isError && query.data === undefined ? (
        <ErrorView error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Card isFlush>
          <DataTable
            label="Runs"
            columns={columns}
            rows={rows}
            rowKey={({ runId }) => runId}
            rowLink={({ runId }) => ({ to: '/runs/$runId', params: { runId } })}
            isLoading={query.isPending || query.isFetchingNextPage}
            hasMore={query.hasNextPage}
            onEndReached={() => void query.fetchNextPage()}
            sort={sort}
            onSort={({ key, direction }) => change({ order: orderOf(key), direction })}
            empty={empty}
          />
        </Card>
      )}
    </Page>
  );
}

interface RunCountProps {
  readonly found: number;
  readonly isMore: boolean;
  readonly all: number;
  readonly filter: RunFilter;
}

function RunCount({ filter, ...counts }: RunCountProps) {
  const isFiltered = filter.text !== undefined || filter.status !== undefined;
  return <span className="text-xs text-muted tabular-nums">{countedText('run', { ...counts, isFiltered })}</span>;
}

/** The runs that were looked for, in the chosen order. Where the order needs all of them, all are loaded. */
function useRunList({ text, status, order, direction, archived }: RunsSearch) {
  const sort: Sort = useMemo(
    () => ({ key: order ?? newestFirst.key, direction: direction ?? newestFirst.direction }),
    [order, direction],
  );
  const query = useInfiniteQuery({
    ...runListQuery({ text, status, ...(archived && { isArchived: true }) }),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.some(({ isLive }) => isLive) ? 5_000 : false),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const loaded = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const rows = useMemo(() => sortedRuns(loaded, sort), [loaded, sort]);
  useEffect(() => {
    if (needsAllRuns(sort) && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [sort, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { query, sort, loaded, rows };
}

const statuses = [
  { value: '', label: 'Any state' },
  { value: 'running', label: 'Running' },
  { value: 'paused', label: 'Paused' },
  { value: 'finished', label: 'Finished' },
  { value: 'interrupted', label: 'Interrupted' },
];

const archives = [
  { value: '', label: 'Not archived' },
  { value: 'true', label: 'Archived' },
];

const noFilter = { text: undefined, status: undefined, archived: undefined };

type RunFilter = Pick<RunsSearch, 'text' | 'status' | 'archived'>;

function RunFilters({ filter, onChange }: { filter: RunFilter; onChange: (part: RunFilter) => void }) {
  const { text, status, archived } = filter;
  return (
    <>
      <SearchInput
        value={text ?? ''}
        onChange={(typed) => onChange({ text: typed || undefined })}
        placeholder="Name, tag, scenario, commit or id"
        label="Search runs"
      />
      <Select
        label="State"
        options={statuses}
        value={status ?? ''}
        onChange={(value) => onChange({ status: statusOf(value) })}
      />
      <Select
        label="Archive"
        options={archives}
        value={archived ?? ''}
        onChange={(value) => onChange({ archived: value === 'true' ? 'true' : undefined })}
      />
    </>
  );
}

interface CompareChoiceProps {
  /** How many runs are ticked. */
  readonly count: number;
  readonly pair: ReturnType<typeof chosenPair>;
  readonly onClear: () => void;
}

/** Leads from two ticked runs to their comparison. */
function CompareChoice({ count, pair, onClear }: CompareChoiceProps) {
  return (
    <div className="ml-auto flex min-h-9 items-center gap-2">
      {pair === null ? (
        <span className="text-xs text-muted">{count === 1 ? 'Tick one more to compare' : 'Tick two to compare'}</span>
      ) : (
        <>
          <Button variant="ghost" onClick={onClear}>
            Clear
          </Button>
          <LinkButton variant="primary" to="/compare" search={pair} icon={<GitCompareArrows size={14} aria-hidden />}>
            Compare
          </LinkButton>
        </>
      )}
    </div>
  );
}

/** There are no runs, or none that were looked for. */
function NoRuns({ icon, hasFilter, onClear }: { icon: ReactNode; hasFilter: boolean; onClear: () => void }) {
  if (hasFilter)
    return (
      <EmptyState icon={icon} title="No run matches" action={<Button onClick={onClear}>Show all runs</Button>}>
        Search looks at the names, tags and notes of runs, their commits, scenarios and ids.
      </EmptyState>
    );
  return (
    <EmptyState icon={icon} title="Nothing has been run yet">
      <p className="mb-2">Start a run with the button above, or in a terminal:</p>
      <CommandLine command="assay run" />
    </EmptyState>
  );
}

function tickColumn(chosen: readonly string[], toggle: (runId: string) => void): Column<RunItem> {
  return {
    key: 'tick',
    header: <span className="sr-only">Compare</span>,
    width: '1.5rem',
    render: ({ runId }) => (
      <label className="flex size-6 cursor-pointer items-center justify-center">
        <span className="sr-only">Compare {runId}</span>
        <input
          type="checkbox"
          checked={chosen.includes(runId)}
          onChange={() => toggle(runId)}
          className="size-4 accent-(--color-accent)"
        />
      </label>
    ),
  };
}

function statusOf(value: string): RunFilter['status'] {
  return statuses.some((status) => value !== '' && status.value === value) ? (value as RunFilter['status']) : undefined;
}

function orderOf(key: string): 'started' | 'duration' | 'cost' | 'passRate' | undefined {
  return key === 'duration' || key === 'cost' || key === 'passRate' || key === 'started' ? key : undefined;
}
