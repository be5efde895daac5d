import type * as z from 'zod';
import { type Page, requireRun, type Store, type TrialRow, type TrialRowRequest } from '../../../keep/store/store.ts';
import type { TrialList, trialListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLarge } from '../work/heavy-work.ts';
import { trialsOfCluster } from './failure-clusters.ts';
import { outcomesIn, variantIn } from './trial-filters.ts';
import { shortReason } from './trial-item.ts';

/** A page of the trials of a run. */
export async function listTrials(
  runId: string,
  query: z.output<typeof trialListQuery>,
  context: ServerContext,
  signal?: AbortSignal,
): Promise<TrialList> {
  const { store } = context;
  const { limit, cursor, scenario, text, order, direction, cluster } = query;
  const request = {
    limit,
    cursor,
    scenario,
    text,
    order,
    isDescending: direction === 'desc',
    outcomes: outcomesIn(query.outcome),
    variant: variantIn(query.variant),
    trialIds: cluster === undefined ? undefined : await trialsOfCluster(runId, cluster, context),
  };
  const page = await firstFound(runId, request, context, signal);
  const { items, next } = page.items.length > 0 ? page : await pageOfFound(runId, request, store);
  return { items: items.map((item) => ({ ...item, reason: shortReason(item.reason) })), next };
}

/** A text is searched for in every trial: of a large run in another process. */
async function firstFound(
  runId: string,
  request: TrialRowRequest,
  context: ServerContext,
  signal: AbortSignal | undefined,
): Promise<Page<TrialRow>> {
  const { store, storeUrl, folder, heavyWork } = context;
  if (!request.text) return store.readTrialRows(runId, request);
  const run = await requireRun(store, runId);
  return isLarge([run], context)
    ? heavyWork.run({ kind: 'trials', storeUrl, folder, run, request }, signal)
    : store.readTrialRows(run.runId, request);
}

/** Nothing was found: the run has no such trials, is named by the beginning of its id, or is not there. */
async function pageOfFound(runId: string, request: TrialRowRequest, store: Store): Promise<Page<TrialRow>> {
  const run = await requireRun(store, runId);
  return run.runId === runId ? { items: [], next: null } : store.readTrialRows(run.runId, request);
}
