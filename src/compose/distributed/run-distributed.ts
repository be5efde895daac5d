import { AssayError } from '../../domain/errors.ts';
import type { Fault } from '../../domain/outcome.ts';
import { type Emit, type RunHeader, type RunSummary, summarizeRun } from '../../domain/run.ts';
import { emptyEvaluation } from '../../engine/findings.ts';
import { pauseText } from '../../engine/live-controls.ts';
import { plan } from '../../engine/plan.ts';
import { recordOf } from '../../engine/record.ts';
import { withoutStored } from '../../engine/resume.ts';
import { notBegun, type RunHooks } from '../../engine/run-hooks.ts';
import { RunLease } from '../../engine/run-lease.ts';
import { endHooks, storeTrials } from '../../engine/store-trials.ts';
import { pause } from '../../keep/distribution/lease-source.ts';
import { reapExpiredLeases } from '../../keep/distribution/reap-expired-leases.ts';
import {
  openWorkDatabase,
  retryWhileDatabaseIsDown,
  type WorkDatabase,
} from '../../keep/distribution/work-database.ts';
import { cancelWorkRun, findWorkRun, unservedGroups } from '../../keep/distribution/work-runs.ts';
import { listWorkers } from '../../keep/distribution/workers.ts';
import { counted } from '../../shared/format.ts';
import { notForWorkers } from '../experiment/plan-experiment.ts';
import { beginRun, type PreparedRun, resumeRun, selectScenarios } from '../run/prepare-run.ts';
import { fanOut } from '../run/run-listeners.ts';
import { completeRequest, type ProjectRun, type RunProjectOptions } from '../run/run-project.ts';
import { readRunSource } from '../run/run-source.ts';
import { assertCliToolsEnabled } from '../run/safety-switch.ts';
import { workLoad } from './describe-work.ts';
import { enqueueRun } from './enqueue-run.ts';
import { FollowedTrials } from './follow-trials.ts';
import { packProject } from './pack-project.ts';
import { openWorkTelemetry } from './work-telemetry.ts';

export interface DistributedRunOptions extends Omit<RunProjectOptions, 'openStore' | 'threads' | 'mcpSessions'> {
  readonly storeUrl: string;
  /** Runs with a higher one go first. */
  readonly priority: number;
  /** How often a trial may lose its worker before it is set aside. */
  readonly attempts: number;
  /** Tags that a worker must have for any trial of the run. */
  readonly workerTags: readonly string[];
  /** Returns at once and leaves the run to the workers. */
  readonly isDetached: boolean;
}

const houseMs = 1_000;
const shortestPollMs = 200;
const longestPollMs = 2_000;
/** Polling takes at most about a fifth of the time, because on one machine it slows the workers down. */
const pausePerPoll = 4;

/** Lets workers run the scenarios of a project, and waits for them unless the run is detached. */
export async function runDistributed(options: DistributedRunOptions): Promise<ProjectRun> {
  const { signal = new AbortController().signal } = options;
  assertDistributable(options);
  const emit = fanOut(options.listeners ?? []);
  const work = await openWorkDatabase(options.storeUrl);
  try {
    const prepared = await prepareShared(options, work);
    const { header, otherFiles, warnings } = prepared;
    await using lease = await RunLease.take(header.runId, work.store, { signal, isShared: true });
    if (options.retriesErrors) await work.store.setAsideErrors(header.runId);
    const before = await work.store.beginControls(header.runId, undefined);
    if (before?.isPaused) emit({ type: 'warning', message: 'The run was paused; it goes on now.' });
    await using hooks = await hooksOf(header, options, lease.signal);
    const fault = await hooks?.beforeRun();
    const ran = { store: work.store, otherFiles, warnings, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() };
    if (fault) return { summary: await storeNotBegun(prepared, fault, { work, lease, emit, hooks }), ...ran };
    const leftOut = await share(prepared, options, work);
    if (leftOut.length > 0) emit({ type: 'warning', message: notSentText(leftOut) });
    const workers = (await listWorkers(work.db)).filter(({ isLost }) => !isLost);
    const { pass, fail, error } = await work.store.countTrials(header.runId);
    const concurrency = workers.reduce((sum, { facts }) => sum + facts.concurrency, 0);
    emit({ type: 'run-started', run: header, alreadyStored: pass + fail + error, concurrency });
    if (!options.isDetached) {
      await using _telemetry = await openWorkTelemetry({
        ...{ env: options.env, role: 'coordinator', instanceId: header.runId },
        load: () => workLoad(work.db),
        log: (message) => emit({ type: 'warning', message }),
      });
      await follow(header, work, emit, lease.signal);
    }
    if (hooks) await endHooks(hooks, (await work.store.findRun(header.runId)) ?? header, work.store);
    const summary = await summaryOf(header, work);
    emit({ type: 'run-finished', summary });
    return { summary, ...ran };
  } catch (error) {
    await work[Symbol.asyncDispose]();
    throw error;
  }
}

/** Refuses options that work on one machine only. */
function assertDistributable({
  judge = {},
  reuse,
  isDetached,
  project,
  experiment,
  request,
}: DistributedRunOptions): void {
  if (experiment) throw notForWorkers();
  const refuse = (flag: string, reason: string): never => {
    throw new AssayError('USAGE', `${flag} cannot be combined with --distributed: ${reason}`, {
      hint: 'Remove one of them.',
    });
  };
  const { beforeRun = [], afterRun = [] } = project.config.hooks ?? {};
  if (isDetached && beforeRun.length + afterRun.length > 0) {
    throw new AssayError(
      'USAGE',
      '--detach leaves no process to run the hooks `beforeRun` and `afterRun` of the config.',
      {
        hint: 'Wait for the run, or remove these hooks.',
      },
    );
  }
  if (reuse === true) refuse('--reuse', 'workers have no results of earlier runs.');
  if (judge.batch) refuse('--batch', 'each worker would send its own batches.');
  if (judge.record !== undefined) refuse('--record', 'each worker would record into its own folder.');
  if (request.toolTapes !== undefined)
    refuse(`--${request.toolTapes.mode}-tools`, 'workers do not have the folder of the recordings.');
  if (judge.maxUsd !== undefined) refuse('--max-usd', 'each worker would spend up to the limit on its own.');
}

/** The run that workers are to do; one that is resumed may have workers already. */
async function prepareShared(options: DistributedRunOptions, { store }: WorkDatabase): Promise<PreparedRun> {
  const { project, env, judge = {}, resume, retriesErrors } = options;
  const context = { isJudgeForced: judge.isWanted === true, env, sources: options.sources, isShared: !retriesErrors };
  const request = completeRequest(options.request, project);
  if (resume) {
    const resumed = await resumeRun(resume, project, store, context);
    if (resumed.header.request.experiment) throw notForWorkers();
    assertCliToolsEnabled(resumed.scenarios, env);
    return resumed;
  }
  const source = readRunSource(project.folder, env);
  const selection = await selectScenarios(request, project, context);
  assertCliToolsEnabled(selection.scenarios, env);
  return beginRun(selection, request, project, { store, source: await source });
}

/** The hooks around the run; workers run those around its scenarios and trials. */
async function hooksOf(
  header: RunHeader,
  { project, env }: DistributedRunOptions,
  signal: AbortSignal,
): Promise<RunHooks | undefined> {
  const { hooks } = project.config;
  if (!hooks) return undefined;
  const { openHooks } = await import('../hooks/open-hooks.ts');
  return openHooks(header, { project, hooks, env, secrets: [], signal });
}

/** Stores trials that cannot begin, because a hook failed before the run: workers get none of them. */
async function storeNotBegun(
  { header, scenarios }: PreparedRun,
  fault: Fault,
  { work, lease, emit, hooks }: { work: WorkDatabase; lease: RunLease; emit: Emit; hooks: RunHooks | undefined },
): Promise<RunSummary> {
  const { store } = work;
  const { signal } = lease;
  const trials = await withoutStored(plan(header.runId, scenarios), header, store, signal);
  const control = { concurrency: 1, signal, emit };
  return storeTrials(header, trials, { store, lease, control, hooks }, async (trial) =>
    recordOf(trial, notBegun(fault), emptyEvaluation(), undefined),
  );
}

/** Puts the files and the trials of a run where workers find them; the files that were left out. */
async function share(
  prepared: PreparedRun,
  options: DistributedRunOptions,
  work: WorkDatabase,
): Promise<readonly string[]> {
  const { project, env, judge = {}, priority } = options;
  const bundle = await packProject(project, env, work.db);
  const { isWanted, models, samples, always, probes, replay } = judge;
  const settings = { judge: { isWanted, models: models && [...models], samples, always, probes, replay } };
  const { runId } = prepared.header;
  await bundle.assign(runId);
  await enqueueRun(prepared, {
    ...options,
    judge,
    work,
    run: { runId, bundleId: bundle.bundleId, settings, priority },
  });
  return bundle.leftOut;
}

const namedFiles = 5;

function notSentText(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${counted(paths.length - namedFiles, 'more file')}` : '';
  const named = paths.slice(0, namedFiles).join(', ');
  return `Not sent to workers, because credentials stay on their machine: ${named}${more}.`;
}

/** Emits the events of the workers until the run has ended; cancels it everywhere when the signal is aborted. */
async function follow(header: RunHeader, work: WorkDatabase, emit: Emit, signal: AbortSignal): Promise<void> {
  const { runId } = header;
  const followed = new FollowedTrials(work.store, runId, header.planned);
  const warned = new Set<string>();
  const warn = (message: string): void => emit({ type: 'warning', message });
  const patience = { signal: new AbortController().signal, log: warn };
  let isPaused = false;
  for await (const _ of followed.news(true)) if (signal.aborted) break;
  for (;;) {
    const began = performance.now();
    const isOver = await retryWhileDatabaseIsDown(patience, async () => {
      if (signal.aborted) await cancelWorkRun(work, runId);
      await reapExpiredLeases(work, houseMs);
      return (await findWorkRun(work.db, runId))?.isEnded ?? true;
    });
    await retryWhileDatabaseIsDown(patience, async () => {
      for await (const record of followed.news(isOver)) emit({ type: 'trial-finished', record });
      const wasPaused = isPaused;
      isPaused = (await work.store.readControls(runId))?.isPaused ?? false;
      if (isPaused !== wasPaused && !isOver) emit({ type: 'run-changed', isPaused, message: pauseText(isPaused) });
      for (const { message } of await unservedGroups(work.db, runId)) {
        if (!warned.has(message)) warn(message);
        warned.add(message);
      }
    });
    if (isOver) return;
    const tookMs = performance.now() - began;
    await pause(Math.min(Math.max(shortestPollMs, pausePerPoll * tookMs), longestPollMs), signal);
  }
}

async function summaryOf(header: RunHeader, { store }: WorkDatabase): Promise<RunSummary> {
  const ended = (await store.findRun(header.runId)) ?? header;
  return summarizeRun(ended, await store.countTrials(header.runId), Date.now());
}
