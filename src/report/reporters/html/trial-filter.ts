import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRow } from './trial-row.ts';

/** What the list can be put in order by. */
export const sortKeys = ['plan', 'outcome', 'scenario', 'duration', 'cost', 'tokens'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which trials the list shows, and in which order; null where all are wanted. */
export interface TrialFilter {
  readonly outcome: Outcome | null;
  readonly scenario: string | null;
  readonly variant: string | null;
  /** Every word must be found. */
  readonly search: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** All trials in plan order. */
export const everything: TrialFilter = {
  outcome: null,
  scenario: null,
  variant: null,
  search: '',
  sort: 'plan',
  isDescending: false,
};

/** The rows that the filter lets through, in its order; equal ones stay in plan order. */
export function filteredRows(rows: readonly TrialRow[], filter: TrialFilter): readonly TrialRow[] {
  const words = filter.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = rows.filter(
    (row) =>
      (filter.outcome === null || row.outcome === filter.outcome) &&
      (filter.scenario === null || row.scenario === filter.scenario) &&
      (filter.variant === null || row.variantName === filter.variant) &&
      words.every((word) => row.searched.includes(word)),
  );
  const compare = comparisons[filter.sort];
  const sign = filter.isDescending ? -1 : 1;
  return found.sort((a, b) => sign * compare(a, b) || a.ordinal - b.ordinal);
}

const severity: Readonly<Record<Outcome, number>> = { fail: 0, error: 1, skipped: 2, pass: 3 };

/** What nobody reported comes before all that is known. */
function known(figure: number | null): number {
  return figure ?? -1;
}

function tokensOf({ tokens }: TrialRow): number {
  return tokens === null ? -1 : tokens.input + tokens.output;
}

const comparisons: Readonly<Record<SortKey, (a: TrialRow, b: TrialRow) => number>> = {
  plan: (a, b) => a.ordinal - b.ordinal,
  outcome: (a, b) => severity[a.outcome] - severity[b.outcome],
  scenario: (a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
  duration: (a, b) => known(a.durationMs) - known(b.durationMs),
  cost: (a, b) => known(a.costUsd) - known(b.costUsd),
  tokens: (a, b) => tokensOf(a) - tokensOf(b),
};
