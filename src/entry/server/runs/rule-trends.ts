import type { RuleDrift } from '../../../compose/drift/watch-drift.ts';
import { isLiveStatus, type RunHeader } from '../../../domain/run.ts';
import { driftText } from '../../../report/compare/drift.ts';
import type { Dashboard } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { countRun } from './read-runs.ts';
import { trendPoint } from './trend-point.ts';

type RuleTrend = Dashboard['rules'][number];

const readRuns = 200;
const mostRuns = 30;

/** How the runs of each rule of the config went, and whether its figures drifted. */
export async function ruleTrends(context: ServerContext): Promise<Dashboard['rules']> {
  // A config that is wrong is reported where it is shown, and not in place of the first page.
  const project = await context.project().catch(() => undefined);
  const rules = project?.config.rules ?? {};
  if (Object.keys(rules).length === 0) return [];
  const { items } = await context.store.readRunRows({ limit: readRuns });
  const drifts = await context.runCache.drift.look(rules, Date.now());
  const trends: RuleTrend[] = [];
  for (const rule of Object.keys(rules)) {
    const runs = items.map(({ run }) => run).filter((run) => isOf(run, rule));
    const drift = drifts.find((each) => each.rule === rule);
    trends.push({ rule, drift: drift ? driftItem(drift) : null, trend: await pointsOf(runs, context) });
  }
  return trends;
}

function isOf({ request: { origin }, status }: RunHeader, rule: string): boolean {
  return origin?.kind === 'rule' && origin.rule === rule && !isLiveStatus(status);
}

/** The oldest first. */
async function pointsOf(runs: readonly RunHeader[], context: ServerContext): Promise<RuleTrend['trend']> {
  const points: RuleTrend['trend'] = [];
  for (const run of runs.slice(0, mostRuns)) {
    points.unshift(trendPoint(run, (await countRun(run, context)).figures));
  }
  return points;
}

function driftItem({ state, figures, looks }: RuleDrift): RuleTrend['drift'] {
  return { state, looks, figures: figures.map(driftText) };
}
