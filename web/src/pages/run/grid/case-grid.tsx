import { useInfiniteQuery } from '@tanstack/react-query';
import { ListFilter } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { Grid } from '../../../../../src/entry/server/api/grid.ts';
import { counted } from '../../../../../src/shared/format.ts';
import type { RunSearch } from '../../../app/search-params.ts';
import { caseListQuery, problemsFirst } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { countText } from '../../../kit/filter-tools.tsx';
import { Card, EmptyState, ErrorView, Remark } from '../../../kit/page.tsx';
import { type ListProps, useListed } from '../list-props.ts';
import { isFiltered, noFilter, useRunSearch } from '../result-filter.ts';
import { FilterChips } from '../trial-list.tsx';
import { allColumns, chosenColumns, type GridLine, gridLines } from './grid-columns.ts';
import { GridFilters } from './grid-filters.tsx';
import { GridTable } from './grid-table.tsx';
import { RateDialog } from './rate-dialog.tsx';

const liveRefetchMs = 3_000;

/** The cases of a run with inputs, answers, verdicts and figures; what is shown stands in the address. */
export function CaseGrid({ runId, isLive, onListed }: ListProps) {
  const [search, change] = useRunSearch();
  const { query, pages, lines, all, columns } = useCases(runId, search, isLive);
  const [rated, setRated] = useState<GridLine>();
  useListed(
    useMemo(() => lines.map(({ arm }) => [arm.trialId, ...arm.trials.map(({ trialId }) => trialId)]), [lines]),
    onListed,
  );
  const { fetchNextPage } = query;
  const onEnd = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const filters = {
    ...{ search, all, shown: columns, onChange: change },
    hasVariants: lines.some(({ row }) => row.arms.length > 1),
    hasMetadata: pages.some((page) => page.columns.metadata.length > 0),
  };
  return (
    <Card
      isFlush
      title={<GridTitle pages={pages} isFiltered={isFiltered(search)} />}
      actions={<GridFilters {...filters} />}
    >
      <FilterChips search={search} onChange={change} />
      <GridNotes unsearched={pages[0]?.unsearched ?? 0} error={query.error} onRetry={() => void query.refetch()} />
      <GridTable
        columns={columns}
        lines={lines}
        isLoading={query.isPending || query.isFetchingNextPage}
        hasMore={query.hasNextPage}
        onEnd={onEnd}
        sort={{ key: search.sort ?? problemsFirst, direction: search.direction ?? 'asc' }}
        onSort={({ key, direction }) => change({ sort: key, direction })}
        onRate={setRated}
        empty={<NoCases search={search} isLive={isLive} onChange={change} />}
      />
      {!isReport && rated && (
        <RateDialog
          line={rated}
          rater={search.rater ?? ''}
          onRater={(rater) => change({ rater: rater || undefined })}
          onClose={() => setRated(undefined)}
        />
      )}
    </Card>
  );
}

/** The loaded cases as lines, and their columns. */
function useCases(runId: string, search: RunSearch, isLive: boolean) {
  const query = useInfiniteQuery({
    ...caseListQuery(runId, search),
    // A user who has scrolled far is reading and does not need updates.
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 2 ? liveRefetchMs : false),
  });
  const pages = useMemo(() => query.data?.pages ?? [], [query.data]);
  const lines = useMemo(() => gridLines(pages), [pages]);
  const all = useMemo(() => allColumns(pages), [pages]);
  const columns = useMemo(() => {
    const rows = pages.flatMap(({ items }) => items);
    return chosenColumns(all, rows, search.columns);
  }, [all, pages, search.columns]);
  return { query, pages, lines, all, columns };
}

function GridTitle({ pages, isFiltered }: { pages: readonly Grid[]; isFiltered: boolean }) {
  const [first] = pages;
  return (
    <>
      Cases{' '}
      <span className="font-normal text-muted tabular-nums">
        {first && countText({ ...foundIn(pages, isFiltered), all: first.cases, isFiltered })}
      </span>
    </>
  );
}

/** How many cases a filter finds: those that are loaded where they were not all counted. */
function foundIn(pages: readonly Grid[], isFiltered: boolean): { found: number; isMore: boolean } {
  const [first] = pages;
  const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
  const found = first?.total ?? (isFiltered ? loaded : (first?.cases ?? 0));
  return { found, isMore: isFiltered && first?.total === null && pages.at(-1)?.next !== null };
}

function GridNotes({ unsearched, error, onRetry }: { unsearched: number; error: Error | null; onRetry: () => void }) {
  return (
    <div className="flex flex-col gap-2 px-4 empty:hidden not-empty:py-2">
      {unsearched > 0 && (
        <Remark tone="info">
          {counted(unsearched, 'trial')} without input and answer here: only names and reasons could be searched.
        </Remark>
      )}
      {error && <ErrorView error={error} onRetry={onRetry} />}
    </div>
  );
}

interface NoCasesProps {
  readonly search: RunSearch;
  readonly isLive: boolean;
  readonly onChange: (part: Partial<RunSearch>) => void;
}

function NoCases({ search, isLive, onChange }: NoCasesProps) {
  const icon = <ListFilter size={20} />;
  if (!isFiltered(search))
    return <EmptyState icon={icon} title={isLive ? 'No trial has finished yet' : 'No trial has been run'} />;
  const clear = (): void => onChange(noFilter);
  return <EmptyState icon={icon} title="No case matches" action={<Button onClick={clear}>Show all cases</Button>} />;
}
