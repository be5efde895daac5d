import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FlaskConical, Plus } from 'lucide-react';
import type { ScenarioItem, ScenarioList } from '../../../../src/api/project.ts';
import type { ListSearch } from '../../app/page-search.ts';
import { scenarioListQuery } from '../../data/project.ts';
import { Badge, OutcomeBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { SearchInput, Select } from '../../kit/field.tsx';
import { Count, When } from '../../kit/figures.tsx';
import { Page } from '../../kit/page.tsx';
import { BrokenFiles } from './broken-files.tsx';
import { filteredScenarios, sortedScenarios } from './scenario-filter.ts';

/** Every scenario of the project, and how each ended last. */
export function ScenariosPage() {
  const search = useSearch({ from: '/scenarios' });
  const navigate = useNavigate({ from: '/scenarios' });
  const { data, error, isPending, refetch } = useQuery(scenarioListQuery());
  const rows = sortedScenarios(filteredScenarios(data?.items ?? [], search), search);
  const set = (change: Partial<ListSearch>): void => void navigate({ search: { ...search, ...change }, replace: true });
  const newButton = (
    <LinkButton variant="primary" icon={<Plus size={14} aria-hidden />} to="/scenarios/edit" search={{ new: '1' }}>
      New scenario
    </LinkButton>
  );
  return (
    <Page title="Scenarios" subtitle="What is asked, and how the answers are judged" actions={newButton}>
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <BrokenFiles files={data.broken} />}
      <Card isFlush title={<Filters list={data} search={search} onChange={set} />}>
        <DataTable
          label="Scenarios"
          columns={columns}
          rows={rows}
          rowKey={({ file, name }) => `${file} ${name}`}
          rowLink={({ file }) => ({ to: '/scenarios/edit', search: { file } })}
          isLoading={isPending}
          sort={{ key: search.order ?? 'name', direction: search.direction === 'desc' ? 'desc' : 'asc' }}
          onSort={({ key, direction }) => set({ order: key, direction })}
          empty={<NoScenarios isEmpty={(data?.items.length ?? 0) === 0} />}
        />
      </Card>
    </Page>
  );
}

const columns: readonly Column<ScenarioItem>[] = [
  {
    key: 'name',
    header: 'Scenario',
    sortKey: 'name',
    isMain: true,
    width: 'minmax(0, 3fr)',
    render: ({ name, description, file }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block truncate text-xs text-muted">{description || file}</span>
      </>
    ),
  },
  {
    key: 'target',
    header: 'Under test',
    width: '9rem',
    render: ({ target }) => <Badge tone="neutral">{target}</Badge>,
  },
  {
    key: 'tags',
    header: 'Tags',
    render: ({ tags }) => (
      <span className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <Link key={tag} to="/scenarios" search={{ tag }} className="hover:underline">
            <Badge tone="neutral">{tag}</Badge>
          </Link>
        ))}
      </span>
    ),
  },
  {
    key: 'evaluators',
    header: 'Evaluators',
    width: '6rem',
    align: 'end',
    render: ({ evaluators }) => (
      <span title={evaluators.join(', ')}>
        <Count value={evaluators.length} />
        <NarrowWord word="evaluators" />
      </span>
    ),
  },
  {
    key: 'trials',
    header: 'Trials',
    sortKey: 'trials',
    width: '5rem',
    align: 'end',
    render: ({ trials }) => (
      <>
        <Count value={trials} />
        <NarrowWord word="trials" />
      </>
    ),
  },
  {
    key: 'last',
    header: 'Last result',
    sortKey: 'last',
    width: '11rem',
    render: ({ last }) =>
      last === null ? (
        <span className="text-muted">not run yet</span>
      ) : (
        <Link
          to="/trials/$trialId"
          params={{ trialId: last.trialId }}
          className="flex items-center gap-2 hover:underline"
        >
          <OutcomeBadge outcome={last.outcome} />
          <span className="text-xs text-muted">
            <When at={last.startedAt} />
          </span>
        </Link>
      ),
  },
];

/** Says what a figure is where the table has no heads. */
function NarrowWord({ word }: { word: string }) {
  return <span className="text-xs text-muted @2xl:hidden"> {word}</span>;
}

function Filters({
  list,
  search,
  onChange,
}: {
  list: ScenarioList | undefined;
  search: ListSearch;
  onChange: (change: Partial<ListSearch>) => void;
}) {
  const tags = [...new Set(list?.items.flatMap((item) => item.tags))].sort();
  const targets = [...new Set(list?.items.map((item) => item.target))].sort();
  const any = { value: '', label: 'Any' };
  return (
    <span className="flex flex-wrap items-center gap-2 py-1 font-normal">
      <SearchInput value={search.text ?? ''} onChange={(text) => onChange({ text })} placeholder="Search scenarios" />
      <Select
        label="Under test"
        options={[{ ...any, label: 'Anything under test' }, ...targets.map((value) => ({ value, label: value }))]}
        value={search.target ?? ''}
        onChange={(target) => onChange({ target })}
      />
      <Select
        label="Tag"
        options={[{ ...any, label: 'Any tag' }, ...tags.map((value) => ({ value, label: value }))]}
        value={search.tag ?? ''}
        onChange={(tag) => onChange({ tag })}
      />
    </span>
  );
}

function NoScenarios({ isEmpty }: { isEmpty: boolean }) {
  if (!isEmpty) return <EmptyState title="Nothing matches">Take a filter away to see more.</EmptyState>;
  return (
    <EmptyState
      icon={<FlaskConical size={20} />}
      title="No scenarios yet"
      action={
        <LinkButton variant="primary" to="/scenarios/edit" search={{ new: '1' }}>
          Make the first one
        </LinkButton>
      }
    >
      A scenario says what is asked and how the answer is judged. Make one here, or type{' '}
      <CommandLine command="assay init" />
    </EmptyState>
  );
}
