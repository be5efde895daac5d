import type { Command } from 'commander';
import type { ProjectRun, RunProjectOptions } from '../../compose/run/run-project.ts';
import { AssayError } from '../../domain/errors.ts';
import type { RunSummary } from '../../domain/run.ts';
import type { Threads } from '../../drive/targets/call/threads.ts';
import { type CliContext, write } from './context.ts';
import { hiddenOption, integerOption, listOption } from './option-values.ts';
import { sharedStoreUrl } from './shared-store-url.ts';

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

/** How a run is shared out between machines. */
export function addDistributionOptions(command: Command): void {
  command
    .option('--distributed', 'let workers run the trials (`assay worker`); needs a Postgres store')
    .option('--detach', 'with --distributed: do not wait; follow with `assay watch`')
    .option('--priority <n>', 'with --distributed: higher goes first', integerOption(-1_000, 1_000))
    .option('--worker-tags <tags>', 'with --distributed: only on workers with all of these tags', listOption)
    .addOption(hiddenOption('--attempts <n>', 'how often a trial may lose its worker', integerOption(1, 100)));
}

/** Lets workers do a run that the command line asks for. */
export async function runShared(
  settings: Omit<RunProjectOptions, 'openStore' | 'threads'>,
  options: DistributionOptions,
  threads: Threads,
  context: CliContext,
): Promise<ProjectRun> {
  await threads[Symbol.asyncDispose]();
  const { runDistributed } = await import('../../compose/distributed/run-distributed.ts');
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
  if (!distributed && flag) throw new AssayError('USAGE', `${flag} goes together with --distributed.`);
}

/** What is said when somebody wants the run to end. */
export function stoppingText({ distributed }: DistributionOptions): string {
  return distributed
    ? '\n  Cancelling the run on all workers. Press Ctrl-C again to leave it running and end only this command.\n'
    : '\n  Stopping: what has finished is being stored. Press Ctrl-C again to end at once.\n';
}

/** Tells where a run goes on that nobody waits for; gives the exit code. */
export async function tellDetached(
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
