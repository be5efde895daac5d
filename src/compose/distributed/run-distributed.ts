import { AssayError } from '../../domain/errors.ts';
import type { Fault } from '../../domain/outcome.ts';
import { type Emit, type RunHeader, type RunSummary, summarizeRun } from '../../domain/run.ts';
import { assertDistributable } from '../../domain/run-options/assert-options.ts';
import { emptyEvaluation } from '../../engine/findings.ts';
import { pauseText } from '../../engine/live-controls.ts';
import { plan } from '../../engine/plan.ts';
import { recordOf } from '../../engine/record.ts';
import { withoutStored } from '../../engine/resume.ts';
import { notBegun, type RunHooks } from '../../engine/run-hooks.ts';
import { endHooks, storeTrials } from '../../engine/store-trials.ts';
import { reapExpiredLeases } from '../../keep/distribution/reap-expired-leases.ts';
import {
  openWorkDatabase,
  retryWhileDatabaseIsDown,
  type WorkDatabase,
} from '../../keep/distribution/work-database.ts';
import { cancelWorkRun, findWorkRun, unservedGroups } from '../../keep/distribution/work-runs.ts';
import { listWorkers } from '../../keep/distribution/workers.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import { pause } from '../../shared/async.ts';
import { counted } from '../../shared/format.ts';
import { notForWorkers } from '../experiment/plan-experiment.ts';
import { beginRun, type PreparedRun, resumeRun, selectScenarios } from '../run/prepare-run.ts';
import { RunRedaction } from '../run/redaction.ts';
import { fanOut } from '../run/run-listeners.ts';
import type { ProjectRun, RunProjectOptions } from '../run/run-project.ts';
import { readRunSource } from '../run/run-source.ts';
import { assertCliToolsEnabled } from '../run/safety-switch.ts';
import { optionsInEffect, requestOf } from '../run/start-options.ts';
import { workLoad } from './describe-work.ts';
import { enqueueRun } from './enqueue-run.ts';
import { FollowedTrials } from './follow-trials.ts';
import { packProject } from './pack-project.ts';
import { openWorkTelemetry } from './work-telemetry.ts';

export interface DistributedRunOptions
  extends Pick<RunProjectOptions, 'project' | 'request' | 'sources' | 'signal' | 'env' | 'listeners'> {
  readonly storeUrl: string;
}

const houseMs = 1_000;
const shortestPollMs = 200;
const longestPollMs = 2_000;
/** Polling takes at most about a fifth of the time, because on one machine it slows the workers down. */
const pausePerPoll = 4;

/** Lets workers run the scenarios of a project, and waits for them unless the run is detached. */
export async function runDistributed(given: DistributedRunOptions): Promise<ProjectRun> {
  const { signal = new AbortController().signal } = given;
  const emit = fanOut(given.listeners ?? []);
  const work = await openWorkDatabase(given.storeUrl);
  try {
    const { options: request, resumed } = await optionsInEffect(given.request, given.env, async () => work.store);
    const options = { ...given, request };
    assertShareable(options);
    const prepared = await prepareShared(options, work, resumed?.header);
    const { header, otherFiles, warnings } = prepared;
    await using lease = await RunLease.take(header.runId, work.store, { signal, isShared: true });
    if (request.retryErrors) await work.store.setAsideErrors(header.runId);
    const before = await work.store.beginControls(header.runId, undefined);
    if (before?.isPaused) emit({ type: 'warning', message: 'The run was paused; it goes on now.' });
    await using hooks = await hooksOf(prepared, options, lease.signal);
    const fault = await hooks?.beforeRun();
    const ran = { store: work.store, otherFiles, warnings, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() };
    if (fault) return { summary: await storeNotBegun(prepared, fault, { work, lease, emit, hooks }), ...ran };
    const leftOut = await share(prepared, options, work);
    if (leftOut.length > 0) emit({ type: 'warning', message: notSentText(leftOut) });
    const workers = (await listWorkers(work.db)).filter(({ isLost }) => !isLost);
    const { pass, fail, error } = await work.store.countTrials(header.runId);
    const concurrency = workers.reduce((sum, { facts }) => sum + facts.concurrency, 0);
    emit({ type: 'run-started', run: header, alreadyStored: pass + fail + error, concurrency });
    if (!request.detach) {
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

/** Refuses options that work on one machine only, and hooks that no process would run. */
function assertShareable({ project, request }: DistributedRunOptions): void {
  assertDistributable(request);
  const { beforeRun = [], afterRun = [] } = project.config.hooks ?? {};
  if (!request.detach || beforeRun.length + afterRun.length === 0) return;
  throw new AssayError(
    'USAGE',
    '--detach leaves no process to run the hooks `beforeRun` and `afterRun` of the config.',
    { hint: 'Wait for the run, or remove these hooks.' },
  );
}

/** The run that workers are to do; one that is resumed may have workers already. */
async function prepareShared(
  { project, env, sources, request }: DistributedRunOptions,
  { store }: WorkDatabase,
  resumed: RunHeader | undefined,
): Promise<PreparedRun> {
  if (resumed?.request.experiment) throw notForWorkers();
  if (resumed) {
    const context = { env, sources, isShared: !request.retryErrors };
    const prepared = await resumeRun(resumed, project, store, context);
    assertCliToolsEnabled(prepared.scenarios, env);
    return prepared;
  }
  const source = readRunSource(project.folder, env);
  const selection = await selectScenarios(request, project, { env, sources });
  assertCliToolsEnabled(selection.scenarios, env);
  return beginRun(selection, await requestOf(request, project, store), project, { store, source: await source });
}

/** The hooks around the run; workers run those around its scenarios and trials. */
async function hooksOf(
  { header, scenarios }: PreparedRun,
  { project, env }: DistributedRunOptions,
  signal: AbortSignal,
): Promise<RunHooks | undefined> {
  const { hooks } = project.config;
  if (!hooks) return undefined;
  const { openHooks } = await import('../hooks/open-hooks.ts');
  const redaction = new RunRedaction(project, env);
  redaction.learn(scenarios);
  return openHooks(header, { project, hooks, env, redact: redaction.redact, signal });
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
  const { project, env, request } = options;
  const bundle = await packProject(project, env, work.db);
  const { runId } = prepared.header;
  await bundle.assign(runId);
  await enqueueRun(prepared, { project, env, work, options: request, bundleId: bundle.bundleId });
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
