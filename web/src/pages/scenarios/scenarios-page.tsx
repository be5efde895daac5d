import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleX, FlaskConical, Plus } from 'lucide-react';
import type { ScenarioItem, ScenarioList } from '../../../../src/entry/server/api/project.ts';
import type { ListSearch } from '../../app/search-params.ts';
import { useRefusal } from '../../data/access.ts';
import { scenarioListQuery } from '../../data/project.ts';
import { LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { SearchInput, Select } from '../../kit/field.tsx';
import { ClearFilters, countedText } from '../../kit/filter-tools.tsx';
import { Card, EmptyState, ErrorView, Page } from '../../kit/page.tsx';
import { scenarioColumns, targetName } from './scenario-columns.tsx';

/** Files that cannot be read, with what is wrong and the way to the editor. */
function BrokenFiles({ files }: { files: ScenarioList['broken'] }) {
  if (files.length === 0) return null;
  return (
    <Card title={files.length === 1 ? 'A file cannot be read' : `${files.length} files cannot be read`}>
      <ul className="flex flex-col gap-2">
        {files.map(({ file, problems }) => (
          <li key={file} className="flex gap-2">
            <CircleX size={16} aria-hidden className="mt-0.5 shrink-0 text-fail" />
            <div className="min-w-0">
              <Link to="/scenarios/edit" search={{ file }} className="font-mono text-accent underline">
                {file}
              </Link>
              <ul className="text-xs text-muted">
                {problems.slice(0, 3).map((problem) => (
                  <li key={`${problem.line}:${problem.column}:${problem.message}`}>
                    {problem.line}:{problem.column} {problem.message}
                  </li>
                ))}
                {problems.length > 3 && <li>… and {problems.length - 3} more</li>}
              </ul>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The filters of the list, which are part of the address. */
function ScenarioFilters({
  list,
  found,
  search,
  onChange,
}: {
  list: ScenarioList | undefined;
  /** How many match. */
  found: number;
  search: ListSearch;
  onChange: (change: Partial<ListSearch>) => void;
}) {
  const tags = [...new Set(list?.items.flatMap((item) => item.tags))].sort();
  const targets = [...new Set(list?.items.map((item) => item.target))].sort();
  const any = { value: '', label: 'Any' };
  const isFiltered = Boolean(search.text || search.tag || search.target);
  return (
    <span className="flex flex-wrap items-center gap-2 py-1 font-normal">
      <SearchInput value={search.text ?? ''} onChange={(text) => onChange({ text })} placeholder="Search scenarios" />
      <Select
        label="Under test"
        options={[
          { ...any, label: 'Anything under test' },
          ...targets.map((value) => ({ value, label: targetName(value) })),
        ]}
        value={search.target ?? ''}
        onChange={(target) => onChange({ target })}
      />
      <Select
        label="Tag"
        options={[{ ...any, label: 'Any tag' }, ...tags.map((value) => ({ value, label: value }))]}
        value={search.tag ?? ''}
        onChange={(tag) => onChange({ tag })}
      />
      {isFiltered && <ClearFilters onClear={() => onChange({ text: undefined, tag: undefined, target: undefined })} />}
      {list && (
        <span className="text-xs text-muted tabular-nums">
          {countedText('scenario', { found, all: list.items.length, isFiltered })}
        </span>
      )}
    </span>
  );
}

/** Every scenario of the project, and how each ended last. */
export function ScenariosPage() {
  const search = useSearch({ from: '/scenarios' });
  const navigate = useNavigate({ from: '/scenarios' });
  const { data, error, isPending, refetch } = useQuery(scenarioListQuery());
  const rows = sortedScenarios(filteredScenarios(data?.items ?? [], search), search);
  const set = (change: Partial<ListSearch>): void => void navigate({ search: { ...search, ...change }, replace: true });
  const mayEdit = useRefusal('edit') === undefined;
  const newButton = mayEdit && (
    <LinkButton variant="primary" icon={<Plus size={14} aria-hidden />} to="/scenarios/edit" search={{ new: '1' }}>
      New scenario
    </LinkButton>
  );
  return (
    <Page title="Scenarios" subtitle="Tasks, and how their answers are judged" actions={newButton}>
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <BrokenFiles files={data.broken} />}
      <Card isFlush title={<ScenarioFilters list={data} found={rows.length} search={search} onChange={set} />}>
        <DataTable
          label="Scenarios"
          columns={scenarioColumns}
          rows={rows}
          rowKey={({ file, name }) => `${file} ${name}`}
          rowLink={({ file }) => ({ to: '/scenarios/edit', search: { file } })}
          isLoading={isPending}
          sort={{ key: search.order ?? 'name', direction: search.direction === 'desc' ? 'desc' : 'asc' }}
          onSort={({ key, direction }) => set({ order: key, direction })}
          empty={<NoScenarios isEmpty={(data?.items.length ?? 0) === 0} mayEdit={mayEdit} />}
        />
      </Card>
    </Page>
  );
}

function NoScenarios({ isEmpty, mayEdit }: { isEmpty: boolean; mayEdit: boolean }) {
  if (!isEmpty) return <EmptyState title="Nothing matches">Remove a filter to see more.</EmptyState>;
  return (
    <EmptyState
      icon={<FlaskConical size={20} />}
      title="No scenarios yet"
      action={
        mayEdit && (
          <LinkButton variant="primary" to="/scenarios/edit" search={{ new: '1' }}>
            Create the first one
          </LinkButton>
        )
      }
    >
      A scenario defines a task and how to judge the answer. Create one here, or type{' '}
      <CommandLine command="assay init" />
    </EmptyState>
  );
}

interface ScenarioFilter {
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  readonly target?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

/** Those that hold every word that is looked for, and have the tag and the kind of target. */
export function filteredScenarios(items: readonly ScenarioItem[], filter: ScenarioFilter): readonly ScenarioItem[] {
  const words = (filter.text ?? '').toLowerCase().split(/\s+/);
  return items.filter(({ name, file, description, tags, target, evaluators }) => {
    const all = [name, file, description, ...tags, ...evaluators].join(' ').toLowerCase();
    const isTagged = filter.tag === undefined || tags.includes(filter.tag);
    return (
      isTagged && (filter.target === undefined || filter.target === target) && words.every((word) => all.includes(word))
    );
  });
}

/** By name by default; scenarios that never ran come last. */
export function sortedScenarios(
  items: readonly ScenarioItem[],
  { order, direction }: ScenarioFilter,
): readonly ScenarioItem[] {
  const sign = direction === 'desc' ? -1 : 1;
  return items.toSorted((a, b) => {
    if (order === 'trials') return sign * (a.trials - b.trials);
    if (order === 'last') return sign * ((b.last?.startedAt ?? 0) - (a.last?.startedAt ?? 0));
    return sign * a.name.localeCompare(b.name);
  });
}
