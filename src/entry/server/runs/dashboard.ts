import type { RunHeader } from '../../../domain/run.ts';
import type { RunRow } from '../../../keep/store/store.ts';
import type { RunFigures } from '../../../report/compare/run-figures.ts';
import type { Dashboard } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
import { countRun } from './counted-run.ts';
import { runItem } from './run-item.ts';
import { whatBroke } from './what-broke.ts';

const recentRuns = 10;
const trendRuns = 40;

/** The first page: what was run of late, how it went over time, and what broke. */
export async function dashboard(context: ServerContext): Promise<Dashboard> {
  const { items } = await context.store.readRunRows({ limit: trendRuns });
  const recent = items
    .slice(0, recentRuns)
    .map(async ({ run, counts }) => runItem(run, counts, await isLive(run, context)));
  return {
    recent: await Promise.all(recent),
    trend: await trendOf(items.filter(isMeasured), context),
    broke: await whatBroke(items, context),
  };
}

function isMeasured({ run }: RunRow): boolean {
  return run.status !== 'running' && run.request.origin === null;
}

/** The oldest first; one after the other, because the first look counts the cases of each run. */
async function trendOf(rows: readonly RunRow[], context: ServerContext): Promise<Dashboard['trend']> {
  const points: Dashboard['trend'] = [];
  for (const { run } of rows) points.unshift(trendPoint(run, (await countRun(run, context)).figures));
  return points;
}

function trendPoint({ runId, startedAt, request }: RunHeader, figures: RunFigures): Dashboard['trend'][number] {
  const { rate, interval, trials } = figures.passRate;
  return {
    runId,
    name: request.name ?? null,
    startedAt,
    judged: trials,
    passRate: rate,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    costUsd: figures.costUsd,
  };
}
