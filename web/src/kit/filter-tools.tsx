import { Bookmark, FilterX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { grouped } from '../../../src/shared/format.ts';
import type { FilteredList } from '../data/saved-filters.ts';
import { Button } from './button.tsx';
import { useLoadedState } from './use-loaded-state.ts';

const loadDialog = () => import('./saved-filters-dialog.tsx');
const SavedFiltersDialog = /* @__PURE__ */ lazy(async () => ({ default: (await loadDialog()).SavedFiltersDialog }));

interface CountedList {
  /** Items that match; those that are loaded where they were not counted. */
  readonly found: number;
  /** Whether more items match than are loaded and counted. */
  readonly isMore?: boolean;
  readonly all: number;
  readonly isFiltered: boolean;
}

/** `12 of 480`, or `480` without a filter. */
export function countText({ found, isMore = false, all, isFiltered }: CountedList): string {
  return isFiltered ? `${grouped(found)}${isMore ? '+' : ''} of ${grouped(all)}` : grouped(all);
}

/** `12 of 480 runs`. */
export function countedText(noun: string, list: CountedList): string {
  return `${countText(list)} ${list.all === 1 ? noun : `${noun}s`}`;
}

export interface FilterToolsProps {
  readonly list: FilteredList;
  /** Parameters of the address that make up the filter. */
  readonly current: Readonly<Record<string, string | undefined>>;
  /** Whether something is left out by it, so it can be cleared. */
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onApply: (search: Readonly<Record<string, string>>) => void;
}

/** Clears the filters of a list, saves them, and applies saved ones. */
export function FilterTools({ isFiltered, onClear, ...saving }: FilterToolsProps) {
  return (
    <>
      {isFiltered && <ClearFilters onClear={onClear} />}
      {!isReport && <SavedFilters {...saving} />}
    </>
  );
}

function SavedFilters(saving: Omit<FilterToolsProps, 'isFiltered' | 'onClear'>) {
  const [isOpen, setIsOpen] = useLoadedState(false);
  return (
    <>
      <Button
        variant="ghost"
        icon={<Bookmark size={14} aria-hidden />}
        aria-haspopup="dialog"
        onPointerEnter={() => void loadDialog()}
        onFocus={() => void loadDialog()}
        onClick={() => setIsOpen(true)}
      >
        Saved filters
      </Button>
      <Suspense>{isOpen && <SavedFiltersDialog {...saving} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}

/** Shows the whole list again. */
export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button variant="ghost" icon={<FilterX size={14} aria-hidden />} onClick={onClear}>
      Clear filters
    </Button>
  );
}
