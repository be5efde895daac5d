import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { FlaskConical, Plus } from 'lucide-react';
import type { ListSearch } from '../../app/page-search.ts';
import { scenarioListQuery } from '../../data/project.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Page } from '../../kit/page.tsx';
import { BrokenFiles } from './broken-files.tsx';
import { scenarioColumns } from './scenario-columns.tsx';
import { filteredScenarios, sortedScenarios } from './scenario-filter.ts';
import { ScenarioFilters } from './scenario-filters.tsx';

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
      <Card isFlush title={<ScenarioFilters list={data} search={search} onChange={set} />}>
        <DataTable
          label="Scenarios"
          columns={scenarioColumns}
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
