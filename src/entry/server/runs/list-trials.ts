import * as z from 'zod';
import { type Outcome, outcomeSchema } from '../../../domain/outcome.ts';
import { type Variant, variantSchema } from '../../../domain/variant.ts';
import { type Page, requireRun, type Store, type TrialRow, type TrialRowRequest } from '../../../keep/store/store.ts';
import type { TrialList, trialListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { trialsOfCluster } from './failure-clusters.ts';
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

const outcomesSchema = z.array(outcomeSchema).max(10);

export function outcomesIn(text: string | undefined): Outcome[] | undefined {
  if (!text) return undefined;
  const parsed = outcomesSchema.safeParse(text.split(',').map((part) => part.trim()));
  if (parsed.success) return parsed.data;
  throw wrong('outcome', `Name some of ${outcomeSchema.options.join(', ')}.`);
}

export function variantIn(text: string | undefined): Variant | undefined {
  if (!text) return undefined;
  try {
    return z.strictObject(variantSchema.shape).parse(JSON.parse(text));
  } catch {
    throw wrong('variant', 'A variant is written as JSON, such as {"model":"openai/gpt-4o-mini"}.');
  }
}

function wrong(name: string, hint: string): Refusal {
  return new Refusal(400, 'REQUEST_INVALID', `\`${name}\` in the query of the request is wrong.`, { hint });
}
