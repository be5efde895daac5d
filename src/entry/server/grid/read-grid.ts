import { answerIn, inputIn, textOf } from '../../../domain/excerpt.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';
import { exampleOf, figuresOf, gridTrial, verdictsOf, wholeMean } from '../../../report/compare/grid-figures.ts';
import type { CalibrationLabel } from '../../../score/judge/calibration.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { shorten } from '../../../shared/text.ts';
import type { Grid, GridArm, GridRow } from '../api/grid.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { shortReason } from '../runs/trial-item.ts';
import { findTrace } from '../trials/find-trace.ts';
import { isLarge } from '../work/heavy-work.ts';
import { type CaseOrder, caseKey, isInPlanOrder, orderCases } from './case-order.ts';
import { type GridQuery, type GridSelection, gridFilter } from './grid-filter.ts';

type CaseTrials = readonly TrialRecord[];

/** The trials of the cases of a page. */
interface CasePage {
  readonly cases: readonly CaseTrials[];
  readonly next: string | null;
  readonly total: number | null;
  readonly unsearched: number;
}

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
  gridFilter(selection);
  const page = isWholePlan(run, selection)
    ? await planPage(run, cursor, limit, context.store)
    : await orderedPage(run, selection, { cursor, limit, signal }, context);
  const own = (await context.projectCache.labels.read()).filter((label) => (label.rater ?? '') === rater);
  const labels = new Map(own.map((label) => [label.trialId, label]));
  const items: GridRow[] = [];
  for (const trials of page.cases) items.push(await rowOf(trials, labels, context));
  const { next, total, unsearched } = page;
  const cases = run.scenarios.reduce((sum, { caseCount }) => sum + caseCount, 0);
  return { items, next, total, cases, unsearched, columns: columnsOf(items) };
}

/** Whether a page can be read straight from the plan, without looking at any other trial. */
function isWholePlan(run: RunHeader, { sort, direction, regex: _, ...filters }: GridSelection): boolean {
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '' && value !== false);
  return sort === 'plan' && direction === 'asc' && !isFiltered && isInPlanOrder(run);
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
      const isSame = last?.[0] !== undefined && caseKey(last[0]) === caseKey(record);
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
  const cases: TrialRecord[][] = [];
  for (let index = first; index < Math.min(first + limit, ends.length); index++) {
    const places = ordinals.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
    cases.push(await readPlaces(run.runId, [...places], context.store));
  }
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
  const { store, storeUrl, folder, heavyWork } = context;
  const order = (ending?: AbortSignal): Promise<CaseOrder> =>
    isLarge([run], context)
      ? heavyWork.run({ kind: 'grid', storeUrl, folder, run, selection }, ending)
      : orderCases(store, run, selection);
  const key = endedKey(run);
  return key === undefined
    ? order(signal)
    : context.runCache.caseOrders.get(JSON.stringify([key, selection]), order, signal);
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

function placeIn(cursor: string | undefined, kind: 'plan' | 'order'): number | undefined {
  if (cursor === undefined) return undefined;
  const [, named, place] = /^(plan|order)-(\d{1,9})$/.exec(cursor) ?? [];
  if (named === kind) return Number(place);
  throw new Refusal(400, 'REQUEST_INVALID', 'This cursor does not belong to this list.', {
    hint: 'Start again without a cursor.',
  });
}

async function rowOf(
  trials: CaseTrials,
  labels: ReadonlyMap<string, CalibrationLabel>,
  context: ServerContext,
): Promise<GridRow> {
  const byVariant = new Map<string, TrialRecord[]>();
  for (const record of trials) {
    const key = canonicalJson(record.variant);
    byVariant.set(key, [...(byVariant.get(key) ?? []), record]);
  }
  const arms: GridArm[] = [];
  let input: string | null = null;
  for (const ofVariant of byVariant.values()) {
    const example = exampleOf(ofVariant);
    const texts = await textsOf(example, context);
    input ??= texts.input;
    arms.push(armOf(ofVariant, example, texts.answer, labels));
  }
  const [first] = trials;
  const { scenario = '', file = '', caseId = '', excerpt } = first ?? {};
  const expected = excerpt?.expected ?? excerpt?.expectedBehavior;
  return {
    scenario,
    file,
    caseId,
    input,
    expected: expected === undefined ? null : shorten(expected, longestText),
    metadata: { ...excerpt?.metadata },
    arms,
  };
}

function armOf(
  trials: CaseTrials,
  example: TrialRecord,
  answer: string | null,
  labels: ReadonlyMap<string, CalibrationLabel>,
): GridArm {
  const counted = trials.map(gridTrial);
  return {
    variant: example.variant,
    trials: trials.map(({ trialId, repeat, outcome }) => {
      const given = labels.get(trialId);
      return { trialId, repeat, outcome, label: given?.label ?? null, note: given?.note ?? null };
    }),
    answer,
    reason: shortReason(example.reason),
    trialId: example.trialId,
    evaluators: verdictsOf(counted),
    metrics: figuresOf(counted),
    durationMs: wholeMean(trials.map(({ durationMs }) => durationMs)),
    costUsd: wholeMean(trials.map(({ costUsd }) => costUsd)),
  };
}

const longestText = 500;

/** The input and the answer of a trial; those of records of earlier versions are read from the trace. */
async function textsOf(
  { trialId, excerpt }: TrialRecord,
  context: ServerContext,
): Promise<{ readonly input: string | null; readonly answer: string | null }> {
  if (excerpt) return { input: excerpt.input ?? null, answer: excerpt.answer ?? null };
  const trace = await findTrace(trialId, context);
  const begin = (value: unknown): string | null => {
    const text = textOf(value);
    return text === undefined ? null : shorten(text, longestText);
  };
  return { input: begin(inputIn(trace)?.value), answer: begin(answerIn(trace)?.value) };
}

function columnsOf(rows: readonly GridRow[]): Grid['columns'] {
  const arms = rows.flatMap(({ arms: each }) => each);
  const names = (records: readonly object[]): string[] => [...new Set(records.flatMap((each) => Object.keys(each)))];
  return {
    evaluators: names(arms.map(({ evaluators }) => evaluators)),
    metrics: names(arms.map(({ metrics }) => metrics)),
    metadata: names(rows.map(({ metadata }) => metadata)),
  };
}
