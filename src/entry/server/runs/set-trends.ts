import type { RunHeader } from '../../../domain/run.ts';
import type { RunRow } from '../../../keep/store/store.ts';
import type { CountedRun } from '../../../report/reporters/run-view.ts';
import type { Dashboard } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLarge } from '../work/heavy-work.ts';
import { scenarioKeys } from './previous-run.ts';
import { countedBefore, countRun } from './read-runs.ts';
import { trendPoint } from './trend-point.ts';

/** A run with what was counted of it. */
export interface MeasuredRun {
  readonly run: RunHeader;
  readonly counted: CountedRun;
}

/** Runs whose figures are known, the newest first, and how many others there are. */
export interface MeasuredRuns {
  readonly measured: readonly MeasuredRun[];
  readonly waiting: number;
}

/**
 * One after the other, because the first look counts the cases of each run. Those of large runs are not
 * waited for: one of them is computed until the next look.
 */
export async function countAll(rows: readonly RunRow[], context: ServerContext): Promise<MeasuredRuns> {
  const measured: MeasuredRun[] = [];
  const waiting: RunHeader[] = [];
  for (const { run } of rows) {
    const counted = isLarge([run]) ? await countedBefore(run, context) : await countRun(run, context);
    if (counted) measured.push({ run, counted });
    else waiting.push(run);
  }
  // A failure comes up again where the figures of the run are shown.
  if (waiting[0]) countRun(waiting[0], context).catch(() => undefined);
  return { measured, waiting: waiting.length };
}

const mostSets = 6;
const namedScenarios = 5;

/** Results over time, for each set of scenarios: pass rates of other scenarios are no points of the same line. */
export function trendsOf(measured: readonly MeasuredRun[]): Dashboard['trends'] {
  const sets = new Map<string, MeasuredRun[]>();
  for (const one of measured) {
    const key = [...scenarioKeys(one.run)].sort().join('\n\n');
    sets.set(key, [one, ...(sets.get(key) ?? [])]);
  }
  return [...sets.values()].slice(0, mostSets).flatMap((runs) => {
    const [first] = runs;
    if (!first) return [];
    const names = [...new Set(first.run.scenarios.map(({ name }) => name))];
    return {
      scenarioNames: names.slice(0, namedScenarios),
      scenarioCount: first.run.scenarios.length,
      trend: runs.map(({ run, counted }) => trendPoint(run, counted.figures)),
    };
  });
}
