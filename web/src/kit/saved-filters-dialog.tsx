import { Trash2 } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';
import { readFilters, type SavedFilter, withFilter, writeFilters } from '../data/saved-filters.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field, TextInput } from './field.tsx';
import type { FilterToolsProps } from './filter-tools.tsx';
import { Remark } from './page.tsx';

type SavedFiltersProps = Pick<FilterToolsProps, 'list' | 'current' | 'onApply'> & { readonly onClose: () => void };

/** The saved filters of a list: applied, removed, and the current one saved under a name. */
export function SavedFiltersDialog({ list, current, onApply, onClose }: SavedFiltersProps) {
  const [filters, setFilters] = useState<readonly SavedFilter[]>(() => readFilters(list));
  const [problem, setProblem] = useState<string>();
  const keep = (changed: readonly SavedFilter[] | undefined): boolean => {
    const why =
      changed === undefined
        ? 'There are too many saved filters. Remove one first.'
        : writeFilters(list, changed)
          ? undefined
          : 'The browser did not keep the filter: it allows this page no storage.';
    setProblem(why);
    if (changed !== undefined && why === undefined) setFilters(changed);
    return why === undefined;
  };
  const apply = ({ search }: SavedFilter): void => {
    onApply(search);
    onClose();
  };
  return (
    <Dialog title="Saved filters" isOpen onClose={onClose}>
      <SaveForm current={current} onSave={(added) => keep(withFilter(filters, added))} />
      {problem !== undefined && <Remark tone="warn">{problem}</Remark>}
      {filters.length > 0 && (
        <ul aria-label="Saved filters" className="flex flex-col divide-y divide-line border-y border-line">
          {filters.map((filter) => (
            <FilterLine
              key={filter.name}
              filter={filter}
              onApply={() => apply(filter)}
              onRemove={() => keep(filters.filter(({ name }) => name !== filter.name))}
            />
          ))}
        </ul>
      )}
      <p className="text-xs text-muted">
        Kept in this browser. Give others the address of the page: it opens with the same filter.
      </p>
    </Dialog>
  );
}

interface SaveFormProps {
  readonly current: FilterToolsProps['current'];
  readonly onSave: (filter: SavedFilter) => boolean;
}

function SaveForm({ current, onSave }: SaveFormProps) {
  const [name, setName] = useState('');
  const search = Object.fromEntries(
    Object.entries(current).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  if (Object.keys(search).length === 0)
    return <p className="text-muted">The list has no filter now. Choose one to save it here.</p>;
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name.trim() !== '' && onSave({ name: name.trim(), search })) setName('');
  };
  return (
    <form onSubmit={save} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label="Name of the current filter" hint={filterText(search)}>
          <TextInput value={name} maxLength={100} onChange={setName} />
        </Field>
      </div>
      <Button type="submit" variant="primary" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  );
}

interface FilterLineProps {
  readonly filter: SavedFilter;
  readonly onApply: () => void;
  readonly onRemove: () => void;
}

function FilterLine({ filter: { name, search }, onApply, onRemove }: FilterLineProps) {
  return (
    <li className="flex items-center gap-2 py-1">
      <button
        type="button"
        onClick={onApply}
        className="min-w-0 flex-1 rounded px-2 py-1 text-left -outline-offset-2 hover:bg-raised"
      >
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-xs text-muted">{filterText(search)}</span>
      </button>
      <Button
        variant="ghost"
        size="sm"
        aria-label={`Remove ${name}`}
        icon={<Trash2 size={14} aria-hidden />}
        onClick={onRemove}
      />
    </li>
  );
}

/** `outcome: fail · text: order`. */
function filterText(search: SavedFilter['search']): string {
  return Object.entries(search)
    .map(([key, value]) => `${key}: ${value}`)
    .join(' · ');
}
