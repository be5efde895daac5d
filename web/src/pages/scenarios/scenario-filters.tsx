import type { ScenarioList } from '../../../../src/entry/server/api/project.ts';
import type { ListSearch } from '../../app/page-search.ts';
import { SearchInput, Select } from '../../kit/field.tsx';

/** What the list is narrowed down by; it stands in the address. */
export function ScenarioFilters({
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
