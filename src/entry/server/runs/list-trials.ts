import type * as z from 'zod';
import { endedKey } from '../../../domain/ended-key.ts';
import { outcomeSchema } from '../../../domain/outcome.ts';
import type { RunHeader } from '../../../domain/run.ts';
import {
  type CellCounts,
  type Page,
  requireRun,
  type Store,
  type TrialRow,
  type TrialRowRequest,
} from '../../../keep/store/store.ts';
import { shortReason } from '../../../report/compare/grid/listed-trial.ts';
import { namingInput, needsInput } from '../../../report/presentation/case-name.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { TrialList, trialListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { placeIn } from '../grid/case-page.ts';
import { compute, isLarge } from '../work/heavy-work.ts';
import { trialsOfCluster } from './failure-clusters.ts';
import { outcomesIn, variantIn } from './trial-filters.ts';

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
  const isWhole = cursor === undefined && next === null;
  const cells = await store.countByCell(items[0]?.runId ?? (await requireRun(store, runId)).runId);
  return {
    items: await Promise.all(items.map((item) => itemOf(item, store))),
    next,
    total: page.total ?? (isWhole ? items.length : countedIn(cells, request)),
    trials: countedIn(cells, {}) ?? 0,
  };
}

type CountedPart = Pick<TrialRowRequest, 'scenario' | 'variant' | 'outcomes' | 'text' | 'trialIds'>;

/** The trials that match, by counts that the store keeps; null where each trial would have to be looked at. */
function countedIn(cells: readonly CellCounts[], { scenario, variant, outcomes, text, trialIds }: CountedPart) {
  if (text || trialIds) return null;
  const wanted = variant && canonicalJson(variant);
  return cells
    .filter((cell) => scenario === undefined || cell.scenario === scenario)
    .filter((cell) => wanted === undefined || canonicalJson(cell.variant) === wanted)
    .reduce((sum, cell) => sum + (outcomes ?? outcomeSchema.options).reduce((of, one) => of + cell[one], 0), 0);
}

/** A row as lists show it; the record is only read where the name of its case says nothing. */
async function itemOf(row: TrialRow, store: Store): Promise<TrialList['items'][number]> {
  const record = needsInput(row.caseId) ? await store.findTrial(row.trialId) : undefined;
  return { ...row, reason: shortReason(row.reason), input: record && namingInput(record) };
}

async function firstFound(
  runId: string,
  request: TrialRowRequest,
  context: ServerContext,
  signal: AbortSignal | undefined,
): Promise<FoundTrials> {
  if (isIndexed(request)) return context.store.readTrialRows(runId, request);
  return trialsInOrder(await requireRun(context.store, runId), request, context, signal);
}

/** The order of lists that are in no index is made of the columns of a large run; while it goes on, by the database. */
export async function trialsInOrder(
  run: RunHeader,
  request: TrialRowRequest,
  context: ServerContext,
  signal?: AbortSignal,
): Promise<FoundTrials> {
  if (!isLarge([run]) || endedKey(run) === undefined) return context.store.readTrialRows(run.runId, request);
  const { limit, cursor, trialIds: _, ...selection } = request;
  const cache = context.runCache.trialOrders;
  const order = await compute('trials', { run, selection }, [run], context, { cache, key: selection, signal });
  const first = placeIn(cursor, 'order') ?? 0;
  const ordinals = [...order.subarray(first, first + limit)];
  if (ordinals.length === 0) return { items: [], next: null, total: order.length };
  const { items } = await context.store.readTrialRows(run.runId, { limit, ordinals });
  const found = new Map(items.map((item) => [item.ordinal, item]));
  return {
    items: ordinals.flatMap((ordinal) => found.get(ordinal) ?? []),
    next: first + limit < order.length ? `order-${first + limit}` : null,
    total: order.length,
  };
}

/** Whether the rows of a page lie together in an index; the few trials that did not pass have a separate one. */
function isIndexed({ order, text, variant, outcomes, trialIds, isDescending }: TrialRowRequest): boolean {
  if (trialIds) return true;
  return order === 'plan' && !isDescending && !text && !variant && !outcomes?.includes('pass');
}

interface FoundTrials extends Page<TrialRow> {
  /** Where all of them were found for the page. */
  readonly total?: number;
}

/** Nothing was found: the run has no such trials, is named by the beginning of its id, or is not there. */
async function pageOfFound(runId: string, request: TrialRowRequest, store: Store): Promise<Page<TrialRow>> {
  const run = await requireRun(store, runId);
  return run.runId === runId ? { items: [], next: null } : store.readTrialRows(run.runId, request);
}
