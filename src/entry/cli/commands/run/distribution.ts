import type { ProjectRun, RunProjectOptions } from '../../../../compose/run/run-project.ts';
import { AssayError } from '../../../../domain/errors.ts';
import type { RunSummary } from '../../../../domain/run.ts';
import type { Threads } from '../../../../drive/targets/call/threads.ts';
import { type CliContext, write } from '../../context.ts';
import { sharedStoreUrl } from '../../project-store.ts';

/** Flags of a run whose trials are run by workers. */
export interface DistributionOptions {
  readonly distributed?: boolean;
  readonly detach?: boolean;
  readonly priority?: number;
  readonly workerTags?: string[];
  readonly attempts?: number;
  readonly store?: string;
  readonly json?: boolean;
}

/** Leaves the trials of a run to workers. */
export async function runShared(
  settings: Omit<RunProjectOptions, 'openStore' | 'threads'>,
  options: DistributionOptions,
  threads: Threads,
  context: CliContext,
): Promise<ProjectRun> {
  await threads[Symbol.asyncDispose]();
  const { runDistributed } = await import('../../../../compose/distributed/run-distributed.ts');
  return runDistributed({
    ...settings,
    storeUrl: await sharedStoreUrl(context, options.store, settings.project),
    priority: options.priority ?? 0,
    attempts: options.attempts ?? 3,
    workerTags: options.workerTags ?? [],
    isDetached: options.detach === true,
  });
}

/** Refuses flags that mean nothing without --distributed. */
export function assertDistributionOptions({ distributed, detach, priority, workerTags }: DistributionOptions): void {
  const given = { '--detach': detach, '--priority': priority, '--worker-tags': workerTags };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (!distributed && flag) throw new AssayError('USAGE', `${flag} requires --distributed.`);
}

/** The message after Ctrl-C. */
export function stoppingText({ distributed }: DistributionOptions): string {
  return distributed
    ? '\n  Cancelling the run on all workers. Press Ctrl-C again to leave it running and end only this command.\n'
    : '\n  Stopping: what has finished is being stored. Press Ctrl-C again to end at once.\n';
}

/** Prints how to follow a detached run; returns the exit code. */
export async function reportDetached(
  { run }: RunSummary,
  { json }: DistributionOptions,
  context: CliContext,
): Promise<number> {
  if (json) await write(context.stdout, `${JSON.stringify({ runId: run.runId, planned: run.planned }, null, 2)}\n`);
  else
    await write(
      context.stdout,
      `  ${run.runId}: ${run.planned} trials wait for workers.\n  Follow it with: assay watch ${run.runId}\n  End it with:    assay cancel ${run.runId}\n`,
    );
  return 0;
}
