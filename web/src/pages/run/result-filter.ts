import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { RunSearch } from '../../app/search-params.ts';
import type { FilterToolsProps } from '../../kit/filter-tools.tsx';

/** Parameters of the address that leave results out. */
const filterKeys = ['outcome', 'scenario', 'variant', 'cluster', 'text', 'where', 'differs', 'figure'] as const;
/** Those that only say how results are listed, which a saved filter keeps too. */
const lookKeys = ['regex', 'view', 'sort', 'order', 'direction', 'columns'] as const;

/** The part of the address of a run that says how its results are shown, and how to change it. */
export function useRunSearch() {
  const search = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const change = useCallback(
    (part: Partial<RunSearch>) =>
      navigate({
        search: (known) => ({ ...known, ...chosenAfter(part), ...part }),
        // Going back leads from another view to the one before, and not out of the run.
        replace: !('view' in part || 'cluster' in part),
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change] as const;
}

/** Another list begins with its first trial; how the same one is shown keeps the trial beside it. */
function chosenAfter(part: Partial<RunSearch>): Partial<RunSearch> {
  const isOtherList = [...filterKeys, 'view', 'sort', 'direction', 'order'].some((key) => key in part);
  return isOtherList ? { trial: undefined } : {};
}

/** Whether results are left out. */
export function isFiltered(search: RunSearch): boolean {
  return filterKeys.some((key) => search[key] !== undefined);
}

/** A change of the address after which nothing is left out. */
export const noFilter: Partial<RunSearch> = unset([...filterKeys, 'regex']);

/** Clears, saves and applies the filters of the results of a run. */
export function resultFilterTools(search: RunSearch, change: (part: Partial<RunSearch>) => unknown): FilterToolsProps {
  const keys = [...filterKeys, ...lookKeys];
  return {
    list: 'results',
    current: Object.fromEntries(keys.map((key) => [key, search[key]])),
    isFiltered: isFiltered(search),
    onClear: () => change(noFilter),
    onApply: (saved) => change({ ...unset(keys), ...saved }),
  };
}

function unset(keys: readonly (keyof RunSearch)[]): Partial<RunSearch> {
  return Object.fromEntries(keys.map((key) => [key, undefined]));
}
