import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { variantLabel } from '../../../../src/domain/variant-text.ts';
import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import type { RunSearch } from '../../app/search-params.ts';
import { problemsQuery, trialListQuery } from '../../data/queries.ts';
import { Chip } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { countText, FilterTools } from '../../kit/filter-tools.tsx';
import { Card, EmptyState, ErrorView } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { SearchInput } from '../../kit/text-input.tsx';
import { conditionText } from './grid/figure-words.ts';
import { type ListProps, useListed } from './list-props.ts';
import { isFiltered, noFilter, resultFilterTools, useRunSearch } from './result-filter.ts';
import { useTrialChoice } from './trial-choice.tsx';
import { trialColumns } from './trial-columns.tsx';

/** Where the results stand on the page. */
export const trialListId = 'trials';

/** Brings the list of trials into sight, after something elsewhere on the page has filtered it. */
export function showTrialList(): void {
  document.getElementById(trialListId)?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}

const liveRefetchMs = 2_000;

/** The trials of a run; what is shown stands in the address. */
export function TrialList({ runId, isLive, onListed }: ListProps) {
  const { linkTo } = useTrialChoice();
  const rowLink = useCallback(({ trialId }: TrialItem) => linkTo(trialId), [linkTo]);
  const [search, change] = useRunSearch();
  const query = useInfiniteQuery({
    ...trialListQuery(runId, search),
    // A user who has scrolled far is reading and does not need updates.
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 2 ? liveRefetchMs : false),
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const first = query.data?.pages[0];
  useListed(
    useMemo(() => rows.map(({ trialId }) => [trialId]), [rows]),
    onListed,
  );
  const title = (
    <>
      Trials{' '}
      <span className="font-normal text-muted tabular-nums">
        {first &&
          countText({
            found: first.total ?? rows.length,
            isMore: first.total === null && query.hasNextPage,
            all: first.trials,
            isFiltered: isFiltered(search),
          })}
      </span>
    </>
  );
  return (
    <Card isFlush title={title} actions={<TrialFilters search={search} onChange={change} />}>
      <FilterChips search={search} onChange={change} />
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
          rowLink={rowLink}
          isLoading={query.isPending || query.isFetchingNextPage}
          hasMore={query.hasNextPage}
          onEndReached={() => void query.fetchNextPage()}
          sort={{ key: search.order ?? 'plan', direction: search.direction ?? 'asc' }}
          onSort={({ key, direction }) => change({ order: orderOf(key), direction })}
          empty={<NoTrials search={search} onChange={change} isLive={isLive} />}
        />
      )}
    </Card>
  );
}

export const outcomeOptions = [
  { value: '', label: 'Any outcome' },
  { value: 'fail,error', label: 'Did not pass' },
  { value: 'fail', label: 'Failed' },
  { value: 'error', label: 'Not judged' },
  { value: 'pass', label: 'Passed' },
  { value: 'skipped', label: 'Skipped' },
];

interface FilterProps {
  readonly search: RunSearch;
  readonly onChange: (part: Partial<RunSearch>) => unknown;
}

function TrialFilters({ search, onChange }: FilterProps) {
  return (
    <>
      <Select
        label="Outcome"
        options={outcomeOptions}
        value={search.outcome ?? ''}
        onChange={(outcome) => onChange({ outcome: outcome || undefined })}
      />
      <SearchInput
        value={search.text ?? ''}
        onChange={(text) => onChange({ text: text || undefined })}
        placeholder="Case, reason or id"
        label="Search trials"
      />
      <FilterTools {...resultFilterTools(search, onChange)} />
    </>
  );
}

/** The filters that were chosen elsewhere on the page. */
export function FilterChips({ search, onChange }: FilterProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 empty:hidden not-empty:py-2">
      {search.scenario !== undefined && (
        <FilterChip label={search.scenario} onClear={() => onChange({ scenario: undefined })} />
      )}
      {search.cluster !== undefined && (
        <ClusterChip cluster={search.cluster} onClear={() => onChange({ cluster: undefined })} />
      )}
      {search.figure !== undefined && (
        <FilterChip label={conditionText(search.figure)} onClear={() => onChange({ figure: undefined })} />
      )}
      {search.variant !== undefined && (
        <FilterChip label={writtenVariant(search.variant)} onClear={() => onChange({ variant: undefined })} />
      )}
    </div>
  );
}

/** The address has the key of a cluster; people read its title. */
function ClusterChip({ cluster, onClear }: { cluster: string; onClear: () => void }) {
  const { runId } = useParams({ from: '/runs/$runId' });
  const { data } = useQuery(problemsQuery(runId));
  return <FilterChip label={data?.clusters.find(({ key }) => key === cluster)?.title ?? cluster} onClear={onClear} />;
}

function NoTrials({ search, onChange, isLive }: FilterProps & { isLive: boolean }) {
  const icon = <ListFilter size={20} />;
  if (!isFiltered(search))
    return <EmptyState icon={icon} title={isLive ? 'No trial has finished yet' : 'No trial has been run'} />;
  const clear = (): unknown => onChange(noFilter);
  return <EmptyState icon={icon} title="No trial matches" action={<Button onClick={clear}>Show all trials</Button>} />;
}

function FilterChip({ label, onClear }: { label: string; onClear: () => void }) {
  return <Chip label={label} removeLabel={`Remove the filter ${label}`} onRemove={onClear} />;
}

/** A variant of the address as text; other text stays as it is. */
function writtenVariant(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const isVariant = isRecord(value) && Object.values(value).every((part) => typeof part === 'string');
    return isVariant ? variantLabel(value) : json;
  } catch {
    return json;
  }
}

function orderOf(key: string): RunSearch['order'] {
  return key === 'duration' || key === 'cost' || key === 'started' ? key : undefined;
}
