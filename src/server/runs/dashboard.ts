import type { Dashboard } from '../../api/runs.ts';
import { wholeCost } from '../../domain/spend.ts';
import { wilson } from '../../stats/wilson.ts';
import type { RunRow } from '../../store/store.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
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
    trend: items.filter(isMeasured).map(trendPoint).reverse(),
    broke: await whatBroke(items, context),
  };
}

function isMeasured({ run }: RunRow): boolean {
  return run.status !== 'running' && run.request.origin === null;
}

function trendPoint({ run, counts }: RunRow): Dashboard['trend'][number] {
  const { runId, startedAt, request } = run;
  const judged = counts.pass + counts.fail;
  const interval = judged === 0 ? undefined : wilson(counts.pass, judged);
  return {
    runId,
    name: request.name ?? null,
    startedAt,
    judged,
    passRate: judged === 0 ? null : counts.pass / judged,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    costUsd: wholeCost(counts.cost),
  };
}
