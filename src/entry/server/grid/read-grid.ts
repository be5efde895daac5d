import { isInPlanOrder } from '../../../compose/summaries/each-case.ts';
import { answerIn, inputIn, textOf } from '../../../domain/excerpt.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';
import { caseKeyOf } from '../../../report/compare/case-key.ts';
import { gridTrial } from '../../../report/compare/grid/grid-figures.ts';
import { type GridRow, gridColumns, gridRow } from '../../../report/compare/grid/grid-row.ts';
import { shorten } from '../../../shared/text.ts';
import type { Grid } from '../api/grid.ts';
import type { ServerContext } from '../context.ts';
import { outcomesIn } from '../runs/trial-filters.ts';
import { findTrace } from '../trials/find-trace.ts';
import { compute } from '../work/heavy-work.ts';
import type { CaseOrder } from './case-order.ts';
import { type CasePage, placeIn } from './case-page.ts';
import { type GridQuery, type GridSelection, gridConditions } from './grid-query.ts';
import { type ProblemOutcomes, problemsPage } from './problems-page.ts';

/** A page of the cases of a run, each with its trials by variant. */
export async function readGrid(
  runId: string,
  query: GridQuery,
  context: ServerContext,
  signal?: AbortSignal,
): Promise<Grid> {
  const run = await requireRun(context.store, runId);
  const { limit, cursor, rater, ...selection } = query;
  // Refuses a filter that cannot be read before any trial is.
  gridConditions(selection);
  const only = selection.sort === 'problems' ? problemsIn(selection.outcome) : undefined;
  const page = isWhole(run, only ? { ...selection, outcome: undefined } : selection)
    ? await (selection.sort === 'plan'
        ? planPage(run, cursor, limit, context.store)
        : problemsPage(run, { cursor, limit, only }, context.store))
    : await orderedPage(run, selection, { cursor, limit, signal }, context);
  const own = (await context.projectCache.labels.read()).filter((label) => (label.rater ?? '') === rater);
  const labels = new Map(own.map((label) => [label.trialId, label]));
  const items: GridRow[] = [];
  for (const trials of page.cases) {
    const complete = await Promise.all(trials.map((record) => withTexts(record, context)));
    items.push(gridRow(complete, { resultsOf: gridTrial, labelOf: (trialId) => labels.get(trialId) }));
  }
  const { next, total, unsearched } = page;
  const cases = run.scenarios.reduce((sum, { caseCount }) => sum + caseCount, 0);
  return { items, next, total, cases, unsearched, columns: gridColumns(items) };
}

/** The problems that an outcome filter is about; undefined where it wants other trials too, or there is none. */
function problemsIn(outcome: string | undefined): ProblemOutcomes | undefined {
  const outcomes = outcomesIn(outcome);
  return outcomes?.every((one) => one === 'fail' || one === 'error') ? outcomes : undefined;
}

/** Whether a page can be read straight from the plan, without looking at all other trials. */
function isWhole(run: RunHeader, { sort, direction, regex: _, ...filters }: GridSelection): boolean {
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '' && value !== false);
  return ['plan', 'problems'].includes(sort) && direction === 'asc' && !isFiltered && isInPlanOrder(run);
}

const trialsAtOnce = 200;

async function planPage(
  { runId }: RunHeader,
  cursor: string | undefined,
  limit: number,
  store: Store,
): Promise<CasePage> {
  const cases: TrialRecord[][] = [];
  let after = placeIn(cursor, 'plan') ?? -1;
  for (;;) {
    const trials = await store.readTrials(runId, { limit: trialsAtOnce, after });
    for (const record of trials) {
      const last = cases.at(-1);
      const isSame = last?.[0] !== undefined && caseKeyOf(last[0]) === caseKeyOf(record);
      if (!isSame && cases.length === limit) return { cases, next: `plan-${after}`, total: null, unsearched: 0 };
      if (isSame) last.push(record);
      else cases.push([record]);
      after = record.ordinal;
    }
    if (trials.length < trialsAtOnce) return { cases, next: null, total: null, unsearched: 0 };
  }
}

/** A page of an order that all trials of the run decide. */
async function orderedPage(
  run: RunHeader,
  selection: GridSelection,
  {
    cursor,
    limit,
    signal,
  }: { readonly cursor: string | undefined; readonly limit: number; readonly signal: AbortSignal | undefined },
  context: ServerContext,
): Promise<CasePage> {
  const order = await findOrder(run, selection, context, signal);
  const { ordinals, ends, unsearched } = order;
  const first = placeIn(cursor, 'order') ?? 0;
  const wanted: Promise<TrialRecord[]>[] = [];
  for (let index = first; index < Math.min(first + limit, ends.length); index++) {
    const places = ordinals.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
    wanted.push(readPlaces(run.runId, [...places], context.store));
  }
  const cases = await Promise.all(wanted);
  const isLast = first + limit >= ends.length;
  return { cases, next: isLast ? null : `order-${first + limit}`, total: ends.length, unsearched };
}

/** The order of a run that has ended is computed once; that of a large run in another process. */
function findOrder(
  run: RunHeader,
  selection: GridSelection,
  context: ServerContext,
  signal: AbortSignal | undefined,
): Promise<CaseOrder> {
  const cache = context.runCache.caseOrders;
  return compute('grid', { run, selection }, [run], context, { cache, key: selection, signal });
}

/** Trials at places of the plan, neighbours together. */
async function readPlaces(runId: string, places: readonly number[], store: Store): Promise<TrialRecord[]> {
  const found: TrialRecord[] = [];
  for (let index = 0; index < places.length; ) {
    const start = places[index] ?? 0;
    let end = index + 1;
    while (end < places.length && (places[end] ?? 0) - start < trialsAtOnce) end++;
    const last = places[end - 1] ?? start;
    const wanted = new Set(places.slice(index, end));
    const read = await store.readTrials(runId, { limit: last - start + 1, after: start - 1 });
    found.push(...read.filter(({ ordinal }) => wanted.has(ordinal)));
    index = end;
  }
  return found;
}

/** The trial with the texts that its row shows; those of records of earlier versions are read from the trace. */
async function withTexts(record: TrialRecord, context: ServerContext): Promise<TrialRecord> {
  if (record.excerpt) return record;
  const trace = await findTrace(record.trialId, context);
  const [input, answer] = [inputIn(trace), answerIn(trace)].map((found) => found && beginning(found.value));
  return { ...record, excerpt: { input, answer } };
}

const longestText = 500;

function beginning(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : shorten(text, longestText);
}
