import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import type { Sort } from '../../kit/data-table.tsx';

/** The order in which the server gives them. */
export const newestFirst: Sort = { key: 'started', direction: 'desc' };

/** Whether all runs must be known to put them in this order. */
export function needsAllRuns({ key, direction }: Sort): boolean {
  return key !== newestFirst.key || direction !== newestFirst.direction;
}

const values: Readonly<Record<string, (run: RunItem) => number>> = {
  started: ({ startedAt }) => startedAt,
  duration: ({ durationMs }) => durationMs ?? -1,
  cost: ({ costUsd }) => costUsd ?? -1,
  passRate: ({ totals: { pass, fail } }) => (pass + fail === 0 ? -1 : pass / (pass + fail)),
};

/** Runs in an order; equal ones stay newest first. */
export function sortedRuns(runs: readonly RunItem[], sort: Sort): readonly RunItem[] {
  const figureOf = values[sort.key];
  if (figureOf === undefined || !needsAllRuns(sort)) return runs;
  const sign = sort.direction === 'asc' ? 1 : -1;
  return runs.toSorted((a, b) => sign * (figureOf(a) - figureOf(b)));
}
