import type * as z from 'zod';
import { type Page, requireRun, type Store, type TrialRow, type TrialRowRequest } from '../../../keep/store/store.ts';
import type { TrialList, trialListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { trialsOfCluster } from './failure-clusters.ts';
import { outcomesIn, variantIn } from './trial-filters.ts';
import { shortReason } from './trial-item.ts';

/** A page of the trials of a run. */
export async function listTrials(
  runId: string,
  query: z.output<typeof trialListQuery>,
  context: ServerContext,
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
  const page = await store.readTrialRows(runId, request);
  const { items, next } = page.items.length > 0 ? page : await pageOfFound(runId, request, store);
  return { items: items.map((item) => ({ ...item, reason: shortReason(item.reason) })), next };
}

/** Nothing was found: the run has no such trials, is named by the beginning of its id, or is not there. */
async function pageOfFound(runId: string, request: TrialRowRequest, store: Store): Promise<Page<TrialRow>> {
  const run = await requireRun(store, runId);
  return run.runId === runId ? { items: [], next: null } : store.readTrialRows(run.runId, request);
}
