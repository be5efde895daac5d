import type { RuleDrift } from '../../../compose/drift/watch-drift.ts';
import { isLiveStatus, type RunHeader } from '../../../domain/run.ts';
import type { RunRow } from '../../../keep/store/store.ts';
import { driftText } from '../../../report/compare/drift.ts';
import type { RuleList } from '../api/traces.ts';
import type { ServerContext } from '../context.ts';
import { countRun } from '../runs/read-runs.ts';
import { trendPoint } from '../runs/trend-point.ts';

type RuleTrend = RuleList['items'][number];

const readRuns = 200;
const mostRuns = 30;

/** How the runs of each rule of the config went, and whether its figures drifted. */
export async function ruleTrends(context: ServerContext): Promise<RuleTrend[]> {
  // A config that is wrong is reported where it is shown, and not in place of the first page.
  const project = await context.project().catch(() => undefined);
  const rules = project?.config.rules ?? {};
  if (Object.keys(rules).length === 0) return [];
  const { items } = await context.store.readRunRows({ limit: readRuns });
  const drifts = await context.runCache.drift.look(rules, Date.now());
  const trends: RuleTrend[] = [];
  for (const rule of Object.keys(rules)) {
    const ofRule = items.filter(({ run }) => isOf(run, rule));
    const ended = ofRule.map(({ run }) => run).filter(({ status }) => !isLiveStatus(status));
    const drift = drifts.find((each) => each.rule === rule);
    trends.push({
      rule,
      drift: drift ? driftItem(drift) : null,
      trend: await pointsOf(ended, context),
      current: currentOf(ofRule),
    });
  }
  return trends;
}

function isOf({ request: { origin } }: RunHeader, rule: string): boolean {
  return origin?.kind === 'rule' && origin.rule === rule;
}

/** By its counts alone. */
function currentOf(rows: readonly RunRow[]): RuleTrend['current'] {
  const live = rows.find(({ run }) => isLiveStatus(run.status));
  if (!live) return null;
  const { pass, fail, error } = live.counts;
  return { runId: live.run.runId, pass, fail, error };
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
