import type * as z from 'zod';
import { whyNotAgain } from '../../../compose/run/run-again.ts';
import { importedFrom, isLiveStatus, type RunCounts, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { AttackTable } from '../../../report/compare/attack-table.ts';
import type { RepeatFigures } from '../../../report/compare/run-figures.ts';
import { attackView, attackWarning } from '../../../report/presentation/attack-text.ts';
import { lastLooks } from '../../../report/presentation/experiment-text.ts';
import type { RunDetail, RunItem, RunList, runListQuery } from '../api/runs.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import type { CountedRun } from '../run-cache.ts';
import { isLarge } from '../work/heavy-work.ts';
import { readCounted } from './count-run.ts';

/**
 * A run that no process claimed, such as one that is being imported, is known by what it stores: when nothing was stored
 * for this long, it is taken to be dead.
 */
const quietMs = 600_000;

/** Whether a run goes on: here and on workers for certain, elsewhere as far as the store knows. */
export async function isLive(run: RunHeader, { runs, sharedRuns, store }: ServerContext): Promise<boolean> {
  if (runs.isLive(run.runId)) return true;
  if (!isLiveStatus(run.status)) return false;
  if (await store.findHolder(run.runId)) return true;
  const shared = await sharedRuns.find(run.runId);
  if (shared) return !shared.isEnded;
  const since = Date.now() - quietMs;
  if (run.startedAt >= since) return true;
  const { items } = await store.readTrialRows(run.runId, { limit: 1, order: 'started', isDescending: true });
  return items.some(({ startedAt, durationMs }) => startedAt + (durationMs ?? 0) >= since);
}

/** The counts and figures of a run; of one that has ended they are read once, those of a large run in another process. */
export function countRun(run: RunHeader, context: ServerContext, signal?: AbortSignal): Promise<CountedRun> {
  const { store, storeUrl, folder, heavyWork, runCache } = context;
  const count = (ending?: AbortSignal): Promise<CountedRun> =>
    isLarge([run], context)
      ? heavyWork.run({ kind: 'figures', storeUrl, folder, run }, ending)
      : readCounted(run, store);
  const key = endedKey(run);
  return key === undefined ? count(signal) : runCache.figures.get(key, count, signal);
}

const shownScenarios = 5;

/** A run as lists show it. */
export function runItem(run: RunHeader, counts: RunCounts, isLive: boolean): RunItem {
  const { totals, notJudged, reused, outcome, reason, durationMs, cost, costUsd } = summarizeRun(
    run,
    counts,
    Date.now(),
  );
  const names = [...new Set(run.scenarios.map(({ name }) => name))];
  return {
    runId: run.runId,
    name: run.request.name ?? null,
    tags: run.labels?.tags ?? [],
    notes: run.labels?.notes ?? null,
    isArchived: run.labels?.isArchived ?? false,
    source: run.source ?? null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    status: run.status,
    isLive,
    execution: executionOf(run),
    origin: run.request.origin?.kind ?? 'run',
    importedFrom: importedFrom(run) ?? null,
    experiment: experimentItem(run),
    scenarioNames: names.slice(0, shownScenarios),
    scenarioCount: run.scenarios.length,
    totals,
    notJudged,
    reused,
    outcome,
    reason,
    durationMs,
    costUsd,
    cost,
  };
}

function experimentItem({ request, experiment }: RunHeader): RunItem['experiment'] {
  if (!request.experiment || !experiment) return null;
  const { reference, ending } = experiment;
  const arms = lastLooks(experiment).map(({ arm, answer }) => ({ arm, answer }));
  return { by: request.experiment.by, reference, ending, arms };
}

function executionOf({ request }: RunHeader): RunItem['execution'] {
  const { eval: name, execution } = request;
  return name === undefined || execution === undefined ? null : { eval: name, id: execution };
}

/** A page of the runs, the newest first. */
export async function listRuns(query: z.output<typeof runListQuery>, context: ServerContext): Promise<RunList> {
  const { items, next } = await context.store.readRunRows(query);
  const listed = items.map(async ({ run, counts }) => runItem(run, counts, await isLive(run, context)));
  return { items: await Promise.all(listed), next, total: await context.store.countRuns(query.isArchived) };
}

/** All that the page of a run shows at once. */
export async function runDetail(runId: string, context: ServerContext, signal?: AbortSignal): Promise<RunDetail> {
  const header = await requireRun(context.store, runId);
  const isGoingOn = await isLive(header, context);
  const { counts, cells, figures, ci, attacks } = await countRun(header, context, signal);
  const item = runItem(header, counts, isGoingOn);
  const stored = counts.pass + counts.fail + counts.error;
  return {
    ...item,
    header,
    tokens: counts.tokens,
    passRate: figures.passRate,
    reused: figures.reused,
    cases: figures.cases,
    ci: ci && { ...ci, lines: [...ci.lines] },
    attacks: attacks.map(attackDetail),
    attackWarning: attackWarning(attacks) ?? null,
    repeats: figures.repeats && shownRepeats(figures.repeats),
    resilience: figures.resilience as RunDetail['resilience'],
    cells: [...cells],
    canCancel: isGoingOn && (await canCancel(header.runId, context)),
    canResume: !isGoingOn && (header.status !== 'finished' || counts.waiting !== undefined) && item.origin === 'run',
    canRetryErrors: !isGoingOn && counts.error > 0 && item.origin === 'run',
    canRescore: !isGoingOn && stored > 0 && (item.origin === 'run' || item.origin === 'rescore'),
    again: {
      whyNot: (await whyNotAgain(header, context.folder)) ?? null,
      failed: figures.cases.judged - figures.cases.passed,
      flaky: figures.repeats?.flaky ?? 0,
    },
  };
}

function attackDetail(table: AttackTable): RunDetail['attacks'][number] {
  const { variant, suites, figures, map } = attackView(table);
  const rows = map.rows.map(({ name, cells }) => ({ name, cells: [...cells] }));
  return { variant, suites, figures: [...figures], map: { ...map, columns: [...map.columns], rows } };
}

const mostCases = 100;

/** Cases that did not always pass: the flakiest of them. */
function shownRepeats({ unsteady, passOfK, ...counts }: RepeatFigures): RunDetail['repeats'] {
  const chances = passOfK.map(({ variant, passAtK, passHatK }) => ({
    variant,
    passAtK: [...passAtK],
    passHatK: [...passHatK],
  }));
  return { ...counts, unsteady: unsteady.slice(0, mostCases), passOfK: chances };
}

/** Here and on workers; what goes on in a terminal is ended there. */
async function canCancel(runId: string, { runs, sharedRuns }: ServerContext): Promise<boolean> {
  return runs.isLive(runId) || (await sharedRuns.find(runId)) !== undefined;
}
