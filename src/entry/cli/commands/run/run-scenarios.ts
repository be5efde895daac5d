import { openProject, type Project } from '../../../../compose/config/project.ts';
import { readCalibrated } from '../../../../compose/judge/calibrations.ts';
import { budgetIn } from '../../../../compose/run/cost-limits.ts';
import { projectPaths } from '../../../../compose/run/prepare-run.ts';
import { completeRequest, type PartialRequest, runProject } from '../../../../compose/run/run-project.ts';
import { findReporters } from '../../../../compose/run/write-reports.ts';
import type { AttackChoice } from '../../../../domain/attacks/attack-suite.ts';
import { AssayError } from '../../../../domain/errors.ts';
import type { ArmChoice, Emit, RunRequest, RunSummary } from '../../../../domain/run.ts';
import type { Threads } from '../../../../drive/targets/call/threads.ts';
import type { StoredRun } from '../../../../report/reporters/reporter.ts';
import { readRunOutcome } from '../../../../report/reporters/run-figures.ts';
import { counted } from '../../../../shared/format.ts';
import type { Invocation } from '../../command.ts';
import { type CliContext, write } from '../../context.ts';
import { type AgentOptions, scenarioFile, variantChoice } from '../../options/agents.ts';
import { assertRecordOptions, type JudgeOptions, judgeFlags } from '../../options/judge.ts';
import { type ServerPartOptions, serverPartsOf } from '../../options/server-parts.ts';
import { HeapGrowthLimit, Interrupt } from '../../process.ts';
import { createProgress, type Progress, silentProgress } from '../../progress.ts';
import { openProjectStore, openStoreForRun } from '../../project-store.ts';
import { exitCodeOf, JudgeNotices, printWarnings, reportRun } from '../../run-report.ts';
import { exportIfWanted, orAnnounced, webhooksOf } from './after-run.ts';
import { type BaselineOptions, baselineOf, checkedAgainst, printCheck } from './baseline.ts';
import {
  assertDistributionOptions,
  type DistributionOptions,
  reportDetached,
  runShared,
  stoppingText,
} from './distribution.ts';
import { type ExperimentRun, experimentExitCode } from './experiment-run.ts';

interface RunOptions extends JudgeOptions, AgentOptions, ServerPartOptions, BaselineOptions, DistributionOptions {
  readonly tags?: string[];
  readonly tier?: number;
  readonly scenario?: string;
  readonly eval?: string;
  readonly arm?: ArmChoice;
  readonly repeat?: number;
  readonly name?: string;
  readonly concurrency?: number;
  readonly timeoutSecs?: number;
  readonly minPassRate?: number;
  readonly failed?: boolean;
  readonly flaky?: boolean;
  readonly from?: string;
  readonly resume?: string;
  readonly retryErrors?: boolean;
  readonly reuse?: boolean;
  readonly updateGolden?: boolean;
  readonly recordTools?: string;
  readonly replayTools?: string;
  readonly dryRun?: boolean;
  readonly reporter?: string[];
  readonly output?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
}

/** Runs what the command line asks for; the threads may have one ready. */
export async function runScenarios(
  { args, options: given, context }: Invocation,
  threads: Threads,
  experiment?: ExperimentRun,
  attacksOf?: (project: Project) => AttackChoice,
): Promise<number> {
  const options = given as RunOptions;
  assertOptions(options);
  const project = await openProject(context.cwd, context.env);
  const chosen = chosenReporters(options, project);
  const request = await requestOf(args, options, context, project, attacksOf?.(project));
  if (options.dryRun) return (await import('./dry-run.ts')).dryRun(request, options, project, context);

  const baseline = await baselineOf(options, project, context);
  using progress = options.quiet ? silentProgress(context) : createProgress(context);
  using interrupt = new Interrupt(() => progress.print(stoppingText(options)));
  using _heap = new HeapGrowthLimit();
  const webhooks = await webhooksOf(project, context, progress);
  const notices = new JudgeNotices(await readCalibrated(project.folder));
  const settings = {
    project,
    request,
    resume: options.resume ?? (options.retryErrors ? 'latest' : undefined),
    retriesErrors: options.retryErrors,
    experiment: experiment?.question,
    concurrency: options.concurrency,
    signal: interrupt.signal,
    env: context.env,
    updatesGolden: options.updateGolden,
    reuse: options.cache === false || options.updateGolden ? false : options.reuse,
    judge: { ...judgeFlags(options), maxUsd: options.maxUsd ?? budgetIn(context.env) },
    listeners: [
      ...(options.debug ? [await debugListener(progress)] : []),
      ...(options.quiet ? [] : [progress.listen, notices.listen]),
      ...(webhooks ? [webhooks.listen] : []),
    ],
  };
  const running = options.distributed
    ? runShared(settings, options, threads, context)
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

function chosenReporters({ json, reporter }: RunOptions, { config, parts }: Project) {
  return findReporters(json ? ['json'] : (reporter ?? config.reporters), parts.reporters);
}

/** An attack that succeeded is a failure, whatever became of the task; one of unknown outcome could not be judged. */
async function exitCodeUnderAttack(exitCode: number, run: StoredRun): Promise<number> {
  const isDecided = exitCode !== 0 && exitCode !== 3;
  if (!run.summary.run.request.attacks || isDecided) return exitCode;
  const { readAttackTables } = await import('../../../../report/reporters/attack-section.ts');
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

function assertOptions(options: RunOptions): void {
  assertDistributionOptions(options);
  assertRecordOptions(options);
  assertReuseOptions(options);
  assertGoldenOptions(options);
  assertCaseOptions(options);
  assertNameOptions(options);
  assertTapeOptions(options);
}

function assertReuseOptions({ reuse, cache }: RunOptions): void {
  if (reuse && cache === false)
    throw new AssayError('USAGE', '--reuse and --no-cache contradict each other.', { hint: 'Leave out one of them.' });
}

function assertCaseOptions({ failed, flaky, from, resume, retryErrors }: RunOptions): void {
  const flag = failed ? '--failed' : flaky ? '--flaky' : from === undefined ? undefined : '--from';
  const other = resume !== undefined ? '--resume' : retryErrors ? '--retry-errors' : undefined;
  if (flag && other) throw new AssayError('USAGE', `${flag} begins a new run, so it cannot be used with ${other}.`);
}

function assertNameOptions({ name, resume, retryErrors }: RunOptions): void {
  if (name === undefined || (resume === undefined && !retryErrors)) return;
  throw new AssayError('USAGE', '--name is for new runs: a run that goes on keeps its name.', {
    hint: 'Leave out --name, or change the name on the page of the run.',
  });
}

function assertTapeOptions({ recordTools, replayTools }: RunOptions): void {
  if (recordTools !== undefined && replayTools !== undefined)
    throw new AssayError('USAGE', '--record-tools and --replay-tools cannot be used together.', {
      hint: 'Leave out one of them. With `replay: { miss: real }`, calls that are not recorded reach the real tool.',
    });
}

function toolTapesOf({ recordTools, replayTools }: RunOptions): RunRequest['toolTapes'] {
  const folder = recordTools ?? replayTools;
  return folder === undefined ? undefined : { mode: recordTools === undefined ? 'replay' : 'record', folder };
}

/** Workers have copies of the project, so the files that they wrote would be lost. */
function assertGoldenOptions({ updateGolden, distributed, reuse }: RunOptions): void {
  if (!updateGolden) return;
  const other = distributed ? '--distributed' : reuse ? '--reuse' : undefined;
  if (other) throw new AssayError('USAGE', `--update-golden cannot be used with ${other}.`);
}

async function debugListener(progress: Pick<Progress, 'print'>): Promise<Emit> {
  return (await import('../../../../report/reporters/debug-log.ts')).debugLog((line) => progress.print(line));
}

async function requestOf(
  args: readonly string[],
  options: RunOptions,
  context: CliContext,
  project: Project,
  attacks: AttackChoice | undefined,
): Promise<RunRequest> {
  const { tags, tier, repeat, timeoutSecs, name, arm: arms } = options;
  const file = scenarioFile(options.scenario, context.cwd, project);
  const paths = projectPaths(file === undefined ? args : [file], context.cwd, project);
  const scenario = file === undefined ? options.scenario : undefined;
  const variants = variantChoice(options, context.cwd);
  const serverParts = serverPartsOf(options);
  const toolTapes = toolTapesOf(options);
  const chosen = { paths, tags, tier, scenario, repeat, timeoutSecs, variants, arms, serverParts };
  const wanted = { ...chosen, name, attacks, toolTapes };
  if (options.failed || options.flaky || options.from !== undefined) {
    const hasPaths = file !== undefined || args.length > 0;
    return completeRequest(
      await againRequest({ ...wanted, paths: hasPaths ? paths : undefined }, options, context, project),
      project,
    );
  }
  if (options.eval === undefined) return completeRequest(wanted, project);
  const { evalRequest } = await import('../../../../compose/run/eval-request.ts');
  return completeRequest({ ...wanted, ...evalRequest(options.eval, project, variants) }, project);
}

/** The cases of an earlier run, all or chosen ones, with its options where the command line does not give others. */
async function againRequest(
  wanted: PartialRequest,
  { failed, flaky, from = 'latest', store: url }: RunOptions,
  context: CliContext,
  project: Project,
): Promise<PartialRequest> {
  const { requestAgain } = await import('../../../../compose/run/run-again.ts');
  await using store = await openProjectStore(context, url, project);
  const earlier = await requestAgain({ failed, flaky, run: from }, { store, folder: project.folder });
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null && !isEmptyList(value);
  return { ...earlier, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => isGiven(value))) };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
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
  const stored = totals.planned - totals.skipped;
  await write(
    context.stderr,
    `\n  Interrupted: ${stored} of ${totals.planned} trials are stored.\n  Continue with: assay ${run.request.experiment ? 'experiment' : 'run'} --resume ${run.runId}${isDistributed ? ' --distributed' : ''}\n`,
  );
}
