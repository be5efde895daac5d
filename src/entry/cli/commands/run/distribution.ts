import type { ProjectRun, RunProjectOptions } from '../../../../compose/run/run-project.ts';
import type { RunOptions } from '../../../../domain/option-values.ts';
import type { RunSummary } from '../../../../domain/run.ts';
import type { Threads } from '../../../../drive/targets/call/threads.ts';
import { type CliContext, write } from '../../context.ts';
import { sharedStoreUrl } from '../../project-store.ts';

/** Leaves the trials of a run to workers. */
export async function runShared(
  settings: Omit<RunProjectOptions, 'openStore' | 'threads'>,
  threads: Threads,
  context: CliContext,
): Promise<ProjectRun> {
  await threads[Symbol.asyncDispose]();
  const { runDistributed } = await import('../../../../compose/distributed/run-distributed.ts');
  const storeUrl = await sharedStoreUrl(context, settings.request.store, settings.project);
  return runDistributed({ ...settings, storeUrl });
}

/** The message after Ctrl-C. */
export function stoppingText({ distributed }: RunOptions): string {
  return distributed
    ? '\n  Cancelling the run on all workers. Press Ctrl-C again to leave it running and end only this command.\n'
    : '\n  Stopping: what has finished is being stored. Press Ctrl-C again to end at once.\n';
}

/** Prints how to follow a detached run; returns the exit code. */
export async function reportDetached({ run }: RunSummary, { json }: RunOptions, context: CliContext): Promise<number> {
  if (json) await write(context.stdout, `${JSON.stringify({ runId: run.runId, planned: run.planned }, null, 2)}\n`);
  else
    await write(
      context.stdout,
      `  ${run.runId}: ${run.planned} trials wait for workers.\n  Follow it with: assay queue watch ${run.runId}\n  End it with:    assay queue cancel ${run.runId}\n`,
    );
  return 0;
}
