import { budgetIn } from '../../../compose/run/cost-limits.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
import { Refusal } from '../refusal.ts';
import { findRun } from './find-run.ts';

/** Interrupts a run that goes on here, or on workers. */
export async function cancelRun(runId: string, context: ServerContext): Promise<string> {
  const run = await findRun(context.store, runId);
  if (context.runs.cancel(run.runId) || (await context.sharedRuns.cancel(run.runId))) return run.runId;
  throw new Refusal(409, 'RUN_NOT_HERE', `${run.runId} does not go on in this server.`, {
    hint:
      run.status === 'running' ? 'Cancel it where it was started, with Ctrl-C.' : 'It has ended: load the page again.',
  });
}

/** Goes on with a run that was interrupted, or whose process is gone; or retries its errors. */
export async function resumeRun(runId: string, context: ServerContext, retriesErrors = false): Promise<string> {
  const run = await findRun(context.store, runId);
  if (await isLive(run, context)) {
    throw new Refusal(409, 'RUN_LIVE', `${run.runId} is going on.`, { hint: 'Wait until it ends, or cancel it.' });
  }
  return context.runs.resume(run.runId, { retriesErrors, judge: { maxUsd: budgetIn(context.env) } });
}

/** Evaluates what a run left behind by the files of today; gives the id of the new run. */
export async function rescoreRun(runId: string, context: ServerContext): Promise<string> {
  const run = await findRun(context.store, runId);
  return context.runs.rescore(run.runId, { maxUsd: budgetIn(context.env) });
}
