import type { RunHeader } from '../../../domain/run.ts';
import type { RunRow } from '../../../keep/store/store.ts';
import type { CountedRun } from '../../../report/reporters/run-view.ts';
import type { Dashboard } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { scenarioKeys } from './previous-run.ts';
import { countRun } from './read-runs.ts';
import { trendPoint } from './trend-point.ts';

/** A run with what was counted of it. */
export interface MeasuredRun {
  readonly run: RunHeader;
  readonly counted: CountedRun;
}

/** The newest first; one after the other, because the first look counts the cases of each run. */
export async function countAll(rows: readonly RunRow[], context: ServerContext): Promise<MeasuredRun[]> {
  const counted: MeasuredRun[] = [];
  for (const { run } of rows) counted.push({ run, counted: await countRun(run, context) });
  return counted;
}

const mostSets = 6;
const namedScenarios = 5;

/**
 * Results over time, for each set of scenarios: pass rates of other scenarios are no points of the same line. Runs of
 * chosen cases are left out, because they are mostly those that failed.
 */
export function trendsOf(measured: readonly MeasuredRun[]): Dashboard['trends'] {
  const sets = new Map<string, MeasuredRun[]>();
  for (const one of measured) {
    if (one.run.request.only !== undefined) continue;
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
