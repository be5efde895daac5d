import { openProject, type Project } from '../../../../compose/config/project.ts';
import { readCalibrated } from '../../../../compose/judge/calibrations.ts';
import { runProject } from '../../../../compose/run/run-project.ts';
import { startOptions } from '../../../../compose/run/start-options.ts';
import { findReporters } from '../../../../compose/run/write-reports.ts';
import type { AttackChoice } from '../../../../domain/attacks/attack-suite.ts';
import type { RunOptions } from '../../../../domain/option-values.ts';
import type { Emit, RunSummary } from '../../../../domain/run.ts';
import type { Threads } from '../../../../drive/targets/call/threads.ts';
import type { StartOptions } from '../../../../engine/feature.ts';
import type { StoredRun } from '../../../../report/reporters/reporter.ts';
import { readRunOutcome } from '../../../../report/reporters/run-figures.ts';
import { counted } from '../../../../shared/format.ts';
import type { Invocation } from '../../command.ts';
import { type CliContext, write } from '../../context.ts';
import { givenOptions } from '../../given-options.ts';
import { HeapGrowthLimit, Interrupt } from '../../process.ts';
import { createProgress, type Progress, silentProgress } from '../../progress.ts';
import { openProjectStore, openStoreForRun } from '../../project-store.ts';
import { exitCodeOf, JudgeNotices, printWarnings, reportRun } from '../../run-report.ts';
import { exportIfWanted, orAnnounced, webhooksOf } from './after-run.ts';
import { baselineOf, checkedAgainst, printCheck } from './baseline.ts';
import { reportDetached, runShared, stoppingText } from './distribution.ts';
import { type ExperimentRun, experimentExitCode } from './experiment-run.ts';

/** Runs what the command line requests; the threads may have one ready. */
export async function runScenarios(
  invocation: Invocation,
  threads: Threads,
  experiment?: ExperimentRun,
  attacksOf?: (project: Project) => AttackChoice,
): Promise<number> {
  const { context } = invocation;
  const project = await openProject(context.cwd, context.env);
  const given = { ...givenOptions(invocation, project), experiment: experiment?.wish, attacks: attacksOf?.(project) };
  const resumesExperiment = experiment && !experiment.wish;
  const options = { ...(await completed(given, project, context)), resumesExperiment };
  const chosen = chosenReporters(options, project);
  if (options.dryRun) return (await import('./dry-run.ts')).dryRun(options, project, context);

  const baseline = await baselineOf(options, project, context);
  using progress = options.quiet ? silentProgress(context) : createProgress(context);
  using interrupt = new Interrupt(() => progress.print(stoppingText(options)));
  using _heap = new HeapGrowthLimit();
  const webhooks = await webhooksOf(project, context, progress);
  const notices = new JudgeNotices(await readCalibrated(project.folder));
  const settings = {
    project,
    request: options,
    signal: interrupt.signal,
    env: context.env,
    listeners: [
      ...(invocation.options.debug ? [await debugListener(progress)] : []),
      ...(options.quiet ? [] : [progress.listen, notices.listen]),
      ...(webhooks ? [webhooks.listen] : []),
    ],
  };
  const running = options.distributed
    ? runShared(settings, threads, context)
    : runProject({ ...settings, threads, openStore: () => openStoreForRun(context, options.store, project) });
  await using finished = await orAnnounced(running, webhooks);
  const { summary } = finished;
  if (options.detach) return reportDetached(summary, options, context);
  if (!options.quiet) {
    await printOtherFiles(finished.otherFiles, context);
    await printWarnings(finished.warnings, context);
  }
  await write(context.stderr, notices.text());
  const check = await checkedAgainst(baseline, finished, options);
  const demanding = { ...finished, demands: { minPassRate: options.minPassRate, check } };
  const isReported = await reportRun(demanding, chosen, options, project, context);
  await exportIfWanted(finished, project, context);
  await printNextStep(summary, options.distributed === true, context);
  if (experiment ?? summary.run.experiment) {
    return (experiment?.exitCode ?? experimentExitCode)(summary) || (isReported ? 0 : 3);
  }
  const exitCode = await exitCodeUnderAttack(exitCodeOf(summary, await readRunOutcome(demanding)), finished);
  const verdict = (await printCheck(check, exitCode, context)) || (isReported ? 0 : 3);
  await webhooks?.finished(finished, { baseline, rules: regressionRules(options) });
  return verdict;
}

function completed(given: RunOptions, project: Project, context: CliContext): Promise<StartOptions> {
  return startOptions(given, 'cli', {
    project,
    withStore: async (use) => {
      await using store = await openProjectStore(context, given.store, project);
      return await use(store);
    },
  });
}

function chosenReporters({ json, reporters }: RunOptions, { config, parts }: Project) {
  return findReporters(json ? ['json'] : (reporters ?? config.reporters), parts.reporters);
}

/** An attack that succeeded is a failure, whatever became of the task; one of unknown outcome could not be judged. */
async function exitCodeUnderAttack(exitCode: number, run: StoredRun): Promise<number> {
  const isDecided = exitCode !== 0 && exitCode !== 3;
  if (!run.summary.run.request.attacks || isDecided) return exitCode;
  const { readAttackTables } = await import('../../../../report/reporters/sections/attacks.ts');
  const cells = (await readAttackTables(run)).flatMap((table) => table.cells);
  if (cells.some(({ succeeded }) => succeeded > 0)) return 1;
  return cells.some(({ unknown }) => unknown > 0) ? 3 : exitCode;
}

function regressionRules({ maxCostRise, anyBreak, question }: RunOptions) {
  return { maxCostRise, anyBreak, question };
}

async function printNextStep(summary: RunSummary, isDistributed: boolean, context: CliContext): Promise<void> {
  const { status } = summary.run;
  if (summary.waiting !== undefined && status === 'finished') await printHowToFetch(summary, context);
  if (status === 'interrupted') await printHowToResume(summary, isDistributed, context);
}

async function debugListener(progress: Pick<Progress, 'print'>): Promise<Emit> {
  return (await import('../../../../report/reporters/debug-log.ts')).debugLog((line) => progress.print(line));
}

async function printOtherFiles(otherFiles: readonly string[], context: CliContext): Promise<void> {
  if (otherFiles.length === 0) return;
  const names = otherFiles.length > 5 ? `${otherFiles.slice(0, 5).join(', ')}, …` : otherFiles.join(', ');
  await write(context.stderr, `  ${counted(otherFiles.length, 'data file')} without a scenario: ${names}\n`);
}

async function printHowToFetch({ run, waiting = 0 }: RunSummary, context: CliContext): Promise<void> {
  const what = `${counted(waiting, 'trial')} ${waiting === 1 ? 'waits' : 'wait'} for the judge`;
  await write(context.stderr, `\n  ${what}.\n  Fetch the verdicts with: assay run --resume ${run.runId}\n`);
}

async function printHowToResume(
  { run, totals }: RunSummary,
  isDistributed: boolean,
  context: CliContext,
): Promise<void> {
  const stored = totals.planned - totals.notRun;
  await write(
    context.stderr,
    `\n  Interrupted: ${stored} of ${totals.planned} trials are stored.\n  Continue with: assay ${run.request.experiment ? 'experiment' : 'run'} --resume ${run.runId}${isDistributed ? ' --distributed' : ''}\n`,
  );
}
