import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import type { Sort } from '../../kit/table-column.ts';

/** Runs that were ticked, at most two: a third takes the place of the one ticked first. */
export function afterTick(chosen: readonly string[], runId: string): readonly string[] {
  if (chosen.includes(runId)) return chosen.filter((one) => one !== runId);
  return [...chosen, runId].slice(-2);
}

/** The two as a comparison wants them: the older one first. */
export function chosenPair(chosen: readonly string[], runs: readonly RunItem[]): { a: string; b: string } | null {
  const [first, second] = runs
    .filter(({ runId }) => chosen.includes(runId))
    .toSorted((x, y) => x.startedAt - y.startedAt);
  return first === undefined || second === undefined ? null : { a: first.runId, b: second.runId };
}

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
