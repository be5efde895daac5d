import { isRecord } from '../../../src/shared/json.ts';
import { basePath } from './base-path.ts';

/** A list whose filters can be saved: runs, or the results of any run. */
export type FilteredList = 'runs' | 'results';

/** A filter with its name, as the parameters that it has in the address. */
export interface SavedFilter {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
}

const mostFilters = 50;

/**
 * Saved filters are kept in the browser: they are habits of one person, and a filter is given to others as the address of
 * the page.
 */
function keyOf(list: FilteredList): string {
  return `assay-filters:${basePath}:${list}`;
}

/** The saved filters by name; entries that cannot be read are left out. */
export function readFilters(list: FilteredList): SavedFilter[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isFilter) : [];
  } catch {
    return [];
  }
}

/** Whether the browser kept them. */
export function writeFilters(list: FilteredList, filters: readonly SavedFilter[]): boolean {
  try {
    localStorage.setItem(keyOf(list), JSON.stringify(filters));
    return true;
  } catch {
    return false;
  }
}

/** With one more, in place of one that has the same name; undefined where there are too many already. */
export function withFilter(filters: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] | undefined {
  const others = filters.filter(({ name }) => name !== added.name);
  if (others.length >= mostFilters) return undefined;
  return [...others, added].sort((a, b) => a.name.localeCompare(b.name));
}

function isFilter(value: unknown): value is SavedFilter {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    isRecord(value.search) &&
    Object.values(value.search).every((part) => typeof part === 'string')
  );
}
