import type { RunHead } from '../../../../src/entry/server/api/runs.ts';
import { type CompareSearch, comparedParts } from '../../app/search-params.ts';
import { apiUrl } from '../../data/api.ts';
import type { ComparisonRequest } from '../../data/trials.ts';

/** A part of a variant that distinguishes two sides of one run. */
export type VariantPart = (typeof comparedParts)[number];

/** The parts in which the variants of a run differ, with their values in plan order. */
export function variantChoices(cells: RunHead['cells']): { readonly by: VariantPart; readonly values: string[] }[] {
  return comparedParts.flatMap((by) => {
    const values = [...new Set(cells.flatMap(({ variant }) => variant[by] ?? []))];
    return values.length > 1 ? [{ by, values }] : [];
  });
}

/** The kind of comparison that the address names. */
export function compareTab({ by, tab, runs }: CompareSearch): 'runs' | 'several' | 'variants' {
  if (by !== undefined || tab === 'variants') return 'variants';
  return runs !== undefined || tab === 'several' ? 'several' : 'runs';
}

/** The runs that are compared in one table, the reference first. */
export function runsOf({ runs }: CompareSearch): string[] {
  return (runs ?? '').split(',').filter((runId) => runId !== '');
}

/** The request to the server; undefined while a side is missing. */
export function comparisonRequest(search: CompareSearch): ComparisonRequest | undefined {
  const { a, b, by, valueA, valueB } = search;
  const force = search.force === undefined ? {} : { force: true };
  if (a === undefined || compareTab(search) === 'several') return undefined;
  if (by === undefined) return b === undefined ? undefined : { a, b, ...force };
  if (valueA === undefined || valueB === undefined) return undefined;
  return { a, by, valueA, valueB, ...force };
}

/** Address of the comparison as one HTML file; undefined while nothing is compared. */
export function comparisonFile(search: CompareSearch): string | undefined {
  const request = comparisonRequest(search);
  if (request) return apiUrl('/compare/report', { ...request });
  const { a, by, runs } = search;
  if (compareTab(search) === 'several')
    return runsOf(search).length > 1 ? apiUrl('/compare/runs/report', { runs }) : undefined;
  return a === undefined || by === undefined ? undefined : apiUrl('/variants/report', { run: a, by });
}

/** The address with some parts changed; what is undefined is taken out. Another question shows no old trajectories. */
export function changedCompare(
  search: CompareSearch,
  part: { readonly [Key in keyof CompareSearch]?: CompareSearch[Key] | undefined },
): CompareSearch {
  const entries = Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as CompareSearch;
}

/** Search parameters that are dropped when other sides are chosen. */
export const withoutAnswer = { force: undefined, left: undefined, right: undefined, tab: undefined } as const;

/** Search parameters that are dropped when something else is compared. */
export const noSides = {
  a: undefined,
  b: undefined,
  by: undefined,
  valueA: undefined,
  valueB: undefined,
  runs: undefined,
} as const;
