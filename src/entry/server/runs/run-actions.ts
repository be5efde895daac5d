import { baselineRunIds } from '../../../compose/compare/baseline-file.ts';
import type { DistributedRunOptions } from '../../../compose/distributed/run-distributed.ts';
import type { ControlWish } from '../../../compose/run/control-run.ts';
import { budgetIn } from '../../../compose/run/cost-limits.ts';
import { AssayError } from '../../../domain/errors.ts';
import { isLiveStatus } from '../../../domain/run.ts';
import { isPostgresUrl } from '../../../keep/store/open-store.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { LabelRun, StartRun } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { isLive } from './read-runs.ts';
import { optionsOf } from './run-request.ts';

/** Starts the requested run and returns its id. */
export async function startRun(wish: StartRun, context: ServerContext): Promise<string> {
  const project = await context.project();
  const request = await optionsOf(wish, project, context.store);
  return request.distributed ? shareOut({ project, request }, context) : context.runs.start({ request });
}

/** Leaves a run to the workers. */
async function shareOut(
  { project, request }: Pick<DistributedRunOptions, 'project' | 'request'>,
  { env, storeUrl }: ServerContext,
): Promise<string> {
  if (!isPostgresUrl(storeUrl)) {
    throw new AssayError('USAGE', 'The store cannot be shared with workers.', {
      hint: 'Serve with --store postgres://…, and start `assay queue worker` on each machine.',
    });
  }
  const { runDistributed } = await import('../../../compose/distributed/run-distributed.ts');
  await using run = await runDistributed({ project, request: { ...request, detach: true }, env, storeUrl });
  return run.summary.run.runId;
}

/** Interrupts a run that goes on here, or on workers. */
export async function cancelRun(runId: string, context: ServerContext): Promise<string> {
  const run = await requireRun(context.store, runId);
  if (context.runs.cancel(run.runId) || (await context.sharedRuns.cancel(run.runId))) return run.runId;
  throw new Refusal(409, 'RUN_NOT_HERE', `${run.runId} is not running in this server.`, {
    hint: isLiveStatus(run.status)
      ? 'Cancel it where it was started, with Ctrl-C.'
      : 'Load the page again: the run has ended.',
  });
}

/** Changes a run that goes on here, in another process or on workers. */
export async function changeRun(
  runId: string,
  wish: ControlWish,
  { store, storeUrl, sharedRuns }: ServerContext,
): Promise<{ readonly runId: string; readonly message: string }> {
  const run = await requireRun(store, runId);
  const openWork = isPostgresUrl(storeUrl) ? () => sharedRuns.open() : undefined;
  const { controlRun } = await import('../../../compose/run/control-run.ts');
  return { runId: run.runId, message: await controlRun(run, wish, { store, openWork }) };
}

/** Goes on with a run that was interrupted, or whose process is gone. */
export function resumeRun(runId: string, context: ServerContext): Promise<string> {
  return resumed(runId, context, false);
}

/** Runs the trials of a run again that ended in an error. */
export function retryErrors(runId: string, context: ServerContext): Promise<string> {
  return resumed(runId, context, true);
}

async function resumed(runId: string, context: ServerContext, retriesErrors: boolean): Promise<string> {
  const run = await requireRun(context.store, runId);
  if (await isLive(run, context)) throw stillRunning(run.runId);
  return context.runs.resume(run.runId, retriesErrors);
}

/** Changes the name, tags, notes or archive mark of a run. */
export async function labelRun(runId: string, change: LabelRun, { store }: ServerContext): Promise<string> {
  const run = await requireRun(store, runId);
  await store.labelRun(run.runId, change);
  return run.runId;
}

/** Removes a run with all that belongs to it; one that goes on anywhere, or is a baseline, stays. */
export async function deleteRun(runId: string, context: ServerContext): Promise<string> {
  const { store, folder } = context;
  const run = await requireRun(store, runId);
  if (await isLive(run, context)) throw stillRunning(run.runId);
  if ((await baselineRunIds(folder)).has(run.runId)) {
    throw new Refusal(409, 'RUN_IS_BASELINE', `${run.runId} is a baseline, so it is not deleted.`, {
      hint: 'Set the baseline to another run with `assay baseline set`, or remove its file.',
    });
  }
  const removed = await context.heavyWork.run('remove', { runIds: [run.runId] }, context);
  if (!removed.includes(run.runId)) throw stillRunning(run.runId);
  return run.runId;
}

function stillRunning(runId: string): Refusal {
  return new Refusal(409, 'RUN_LIVE', `${runId} is still running.`, { hint: 'Wait until it ends, or cancel it.' });
}

/** Evaluates what a run left behind by the files of today; gives the id of the new run. */
export async function rescoreRun(runId: string, context: ServerContext): Promise<string> {
  const run = await requireRun(context.store, runId);
  return context.runs.rescore(run.runId, { maxUsd: budgetIn(context.env) });
}
