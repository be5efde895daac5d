import type * as z from 'zod';
import { judgedTrialId } from '../../../compose/rules/rule-judge.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { isCollected, type RunHeader } from '../../../domain/run.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';
import { shortReason } from '../../../report/compare/grid/listed-trial.ts';
import type { CollectedTraceItem, CollectedTraces, collectedTracesQuery } from '../api/traces.ts';
import type { ServerContext } from '../context.ts';
import { trialsInOrder } from '../runs/list-trials.ts';
import { isLive } from '../runs/read-runs.ts';

const mostPeriods = 50;
const runsPerPage = 100;
/** Runs of rules lie between the periods; beyond these pages the search ends. */
const mostPages = 5;

/** The traces of a period, the newest first, with the verdicts of the rules of the config on each. */
export async function collectedTraces(
  { run, limit, cursor }: z.output<typeof collectedTracesQuery>,
  context: ServerContext,
): Promise<CollectedTraces> {
  const { store } = context;
  const periods = await periodsOf(store);
  const listed = periods.map(async (each) => ({
    runId: each.runId,
    name: each.request.name ?? each.runId,
    isLive: await isLive(each, context),
  }));
  const period = run === undefined ? periods[0] : await requireRun(store, run);
  const found = { runId: period?.runId ?? null, periods: await Promise.all(listed) };
  if (!period) return { ...found, items: [], next: null, total: 0 };
  const order = { order: 'started', isDescending: true, limit, cursor } as const;
  const { items, next } = await trialsInOrder(period, order, context);
  const rules = await rulesOf(context);
  const counts = await store.countTrials(period.runId);
  return {
    ...found,
    items: await Promise.all(items.map(({ trialId }) => itemOf(trialId, rules, store))),
    next,
    total: counts.pass + counts.fail + counts.error + counts.skipped,
  };
}

/** The runs that collected traces were put into, the newest first. */
async function periodsOf(store: Store): Promise<RunHeader[]> {
  const found: RunHeader[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && found.length < mostPeriods; page++) {
    const { items, next } = await store.readRunRows({ limit: runsPerPage, cursor });
    found.push(...items.map(({ run }) => run).filter(isCollected));
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, mostPeriods);
}

/** None where the config is wrong, which is reported where it is shown. */
async function rulesOf(context: ServerContext): Promise<readonly string[]> {
  const project = await context.project().catch(() => undefined);
  return Object.keys(project?.config.rules ?? {});
}

async function itemOf(trialId: string, rules: readonly string[], store: Store): Promise<CollectedTraceItem> {
  const record = await store.findTrial(trialId);
  if (!record) throw new Error(`The trial ${trialId} was listed and is not there.`);
  const { scenario, caseId, outcome, startedAt, durationMs, costUsd, excerpt } = record;
  return {
    trialId,
    service: scenario,
    caseId,
    input: excerpt?.input === undefined ? null : shortReason(excerpt.input),
    outcome,
    startedAt,
    durationMs,
    costUsd,
    verdicts: await verdictsOn(record, rules, store),
  };
}

async function verdictsOn(
  { sourceSpan }: TrialRecord,
  rules: readonly string[],
  store: Store,
): Promise<CollectedTraceItem['verdicts']> {
  if (!sourceSpan) return [];
  const judged = rules.map((rule) => ({ rule, trialId: judgedTrialId(rule, sourceSpan.traceId) }));
  const stored = await store.storedTrialIds(judged.map(({ trialId }) => trialId));
  const found = judged.filter(({ trialId }) => stored.has(trialId));
  const verdicts = found.map(async ({ rule, trialId }) => {
    const record = await store.findTrial(trialId);
    return record ? [{ rule, trialId, outcome: record.outcome, reason: shortReason(record.reason) }] : [];
  });
  return (await Promise.all(verdicts)).flat();
}
