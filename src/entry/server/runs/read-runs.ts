import type * as z from 'zod';
import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import { isLiveStatus, type RunCounts, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import { whyNotAgain } from '../../../engine/why-not-again.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { type CountedRun, runHead, runItem, runView } from '../../../report/reporters/run-view.ts';
import type { RunDetail, RunHead, RunList, runListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { prepareNewest, preparePages } from '../summaries/prepare-pages.ts';
import { cacheKey, compute } from '../work/heavy-work.ts';

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
  return compute('figures', { run }, [run], context, { cache: context.runCache.figures, signal });
}

/** The counts and figures of a large run, if they are at hand or kept in the store. */
export async function countedBefore(
  run: RunHeader,
  { runCache, store }: ServerContext,
): Promise<CountedRun | undefined> {
  const key = cacheKey('figures', [run]);
  if (key === undefined) return undefined;
  if (runCache.figures.has(key)) return runCache.figures.find(key);
  const kept = await (await KeptResults.of([run], store))?.read<CountedRun>('figures');
  if (kept) await runCache.figures.set(key, kept);
  return kept;
}

/** A page of the runs, the newest first. */
export async function listRuns(query: z.output<typeof runListQuery>, context: ServerContext): Promise<RunList> {
  const { items, next } = await context.store.readRunRows(query);
  prepareNewest(
    items.map(({ run }) => run),
    context,
  );
  const listed = items.map(async ({ run, counts }) =>
    runItem(summarizeRun(run, counts, Date.now()), await isLive(run, context)),
  );
  return { items: await Promise.all(listed), next, total: await context.store.countRuns(query.isArchived) };
}

/** A run by the counts that the store keeps: no trial is read. */
export async function runByCounts(runId: string, context: ServerContext): Promise<RunHead> {
  const { store } = context;
  const header = await requireRun(store, runId);
  const [counts, cells] = [await store.countTrials(header.runId), await store.countByCell(header.runId)];
  const isGoingOn = await isLive(header, context);
  preparePages(header, context);
  const head = runHead(summarizeRun(header, counts, Date.now()), { counts, cells }, isGoingOn);
  return { ...head, ...(await actionsOn(header, counts, isGoingOn, context)) };
}

/** A run with its figures. */
export async function runDetail(runId: string, context: ServerContext, signal?: AbortSignal): Promise<RunDetail> {
  const header = await requireRun(context.store, runId);
  const isGoingOn = await isLive(header, context);
  const counted = await countRun(header, context, signal);
  const { counts, figures } = counted;
  const view = runView(summarizeRun(header, counts, Date.now()), counted, isGoingOn);
  return {
    ...view,
    resilience: view.resilience as RunDetail['resilience'],
    ...(await actionsOn(header, counts, isGoingOn, context)),
    again: { failed: figures.cases.judged - figures.cases.passed, flaky: figures.repeats?.flaky ?? 0 },
  };
}

type RunActions = Pick<RunHead, 'canCancel' | 'canResume' | 'canRetryErrors' | 'canRescore' | 'whyNotAgain'>;

/** The actions that are possible on a run. */
async function actionsOn(
  header: RunHeader,
  counts: RunCounts,
  isGoingOn: boolean,
  context: ServerContext,
): Promise<RunActions> {
  const origin = header.request.origin?.kind ?? 'run';
  const stored = counts.pass + counts.fail + counts.error;
  return {
    canCancel: isGoingOn && (await canCancel(header.runId, context)),
    canResume: !isGoingOn && (header.status !== 'finished' || counts.waiting !== undefined) && origin === 'run',
    canRetryErrors: !isGoingOn && counts.error > 0 && origin === 'run',
    canRescore: !isGoingOn && stored > 0 && (origin === 'run' || origin === 'rescore'),
    whyNotAgain: (await whyNotAgain(header, context.folder)) ?? null,
  };
}

/** Here and on workers; what goes on in a terminal is ended there. */
async function canCancel(runId: string, { runs, sharedRuns }: ServerContext): Promise<boolean> {
  return runs.isLive(runId) || (await sharedRuns.find(runId)) !== undefined;
}
