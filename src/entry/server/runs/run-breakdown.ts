import { requireRun } from '../../../keep/store/store.ts';
import { type BreakdownReport, readRunBreakdown } from '../../../report/reporters/sections/breakdown.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { isLarge } from '../work/heavy-work.ts';

/** Rates of assertions, means of metrics and the tables of the reports; of a run that has ended they are read once. */
export async function runBreakdown(
  runId: string,
  context: ServerContext,
  signal?: AbortSignal,
): Promise<BreakdownReport> {
  const { store, storeUrl, folder, heavyWork, runCache } = context;
  const run = await requireRun(store, runId);
  const read = (ending?: AbortSignal): Promise<BreakdownReport> =>
    isLarge([run], context)
      ? heavyWork.run({ kind: 'breakdown', storeUrl, folder, run }, ending)
      : readRunBreakdown(store, run);
  const key = endedKey(run);
  return key === undefined ? read(signal) : runCache.breakdowns.get(key, read, signal);
}
