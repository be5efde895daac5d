import { assertDistributable } from '../../domain/assert-options.ts';
import { type JudgeShare, JudgeTally } from '../../domain/judge-share.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Emit, RunEvent, RunHeader, RunSource, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { toolTapesOf } from '../../domain/tool-control/replay.ts';
import type { McpSessions } from '../../drive/mcp/session.ts';
import type { Threads } from '../../drive/targets/call/threads.ts';
import type { PlannedRun, StartOptions } from '../../engine/feature.ts';
import { plannedCount } from '../../engine/plan.ts';
import { assertUnchanged, runScenarios } from '../../engine/resume.ts';
import { run, type Workers } from '../../engine/run.ts';
import { concludeRun, type RunControl } from '../../engine/store-trials.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import { features } from '../../features/index.ts';
import type { Store } from '../../keep/store/store.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import type { Project } from '../config/project.ts';
import { summarizeFinished, summarizing } from '../summaries/summarizing-store.ts';
import { changedFiles, withCalledFiles } from './called-files.ts';
import { type OpenTrialParts, openTrialParts } from './open-trial-parts.ts';
import { assertResumable, newRun, type Selection, selectScenarios, startOfRun } from './prepare-run.ts';
import { fanOut } from './run-listeners.ts';
import { readRunSource } from './run-source.ts';
import { assertCliToolsEnabled } from './safety-switch.ts';
import { newRequest, optionsInEffect, type ResumedRun } from './start-options.ts';

export interface RunProjectOptions {
  readonly project: Project;
  /** Opens the store, which is done while the first target starts. */
  openStore(): Promise<Store>;
  /** Options of the run; paths are relative to the project's folder. */
  readonly request: StartOptions;
  /** Scenarios that were read already, beside the files of the request. */
  readonly sources?: readonly ParsedSource[] | undefined;
  /** Scenarios that were selected already, instead of those of the request or of the run to resume. */
  readonly selection?: Selection | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Workers that run the trials; absent: this process does. */
  workersFor?(run: PreparedRun): Workers;
  /** MCP servers that are open already and go on after the run; the run opens and ends its own otherwise. */
  readonly mcpSessions?: (() => Promise<McpSessions>) | undefined;
  /** One that has a thread ready, where that could be started earlier. */
  readonly threads?: Threads | undefined;
  readonly listeners?: readonly ((event: RunEvent) => void)[];
}

/** A finished run with its open store; disposing of it closes the store. */
export interface ProjectRun extends AsyncDisposable {
  readonly summary: RunSummary;
  readonly store: Store;
  /** Spending of its judges, null without any; undefined where the records are to be read for it. */
  readonly judgeShare?: JudgeShare | null | undefined;
  /** Data files in the folders that are not scenarios. */
  readonly otherFiles: readonly string[];
  /** Warnings about the scenario files. */
  readonly warnings: readonly Problem[];
}

/** Runs the scenarios of a project on the registered parts; the verdicts are in the store when it resolves. */
export async function runProject(given: RunProjectOptions): Promise<ProjectRun> {
  const { options: request, resumed } = await optionsInEffect(given.request, given.env, given.openStore);
  if (given.workersFor) assertDistributable(request);
  const options = { ...given, request };
  await using parts = await openTrialParts({ ...options, options: request });
  const judges = new JudgeTally();
  const emit = fanOut([(event) => judges.note(event), ...(options.listeners ?? [])]);
  const prepared = await prepare(options, parts, resumed, emit);
  const { header, scenarios, otherFiles, warnings, store } = prepared;
  const control = {
    concurrency: request.concurrency ?? concurrencyFor(scenarios, options.project),
    signal: options.signal ?? new AbortController().signal,
    emit,
    maxUsd: request.maxUsd,
    retriesErrors: request.retryErrors,
  };
  const close = () => store[Symbol.asyncDispose]();
  try {
    if (resumed && (await hasNothingLeft(resumed, request))) {
      emit({ type: 'run-started', run: header, alreadyStored: header.planned, concurrency: control.concurrency });
      const summary = await concludeRun(resumed.header, store, emit);
      return { summary, store, otherFiles, warnings, [Symbol.asyncDispose]: close };
    }
    const complete = parts.complete(header.request.experiment);
    const workers = options.workersFor?.(prepared);
    const ran = await run(header, scenarios, { store, workers, ...complete }, control);
    if (workers) await summarizeFinished(store, ran.run);
    const isWaiting = ran.waiting !== undefined && ran.run.status === 'finished' && !workers;
    const summary = isWaiting ? await judgeWaitingTrials(options, ran, scenarios, store, complete, control) : ran;
    const judgeShare = isWaiting || workers ? undefined : judges.share;
    return { summary, store, judgeShare, otherFiles, warnings, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether nothing of a run that is resumed would run: it stays as it ended, and was not paused since. */
async function hasNothingLeft({ header, store }: ResumedRun, { retryErrors }: StartOptions): Promise<boolean> {
  const { status, planned, runId, request } = header;
  if (status !== 'finished' || request.experiment) return false;
  const { pass, fail, error, waiting = 0 } = await store.countTrials(runId);
  return pass + fail + error === planned && waiting === 0 && (error === 0 || !retryErrors);
}

async function judgeWaitingTrials(
  { project, env, request: options }: RunProjectOptions,
  { run: header }: RunSummary,
  scenarios: readonly Scenario[],
  store: Store,
  parts: TrialParts,
  control: RunControl,
): Promise<RunSummary> {
  const { judgeInBatches } = await import('./judge-in-batches.ts');
  return judgeInBatches({ project, env, options, prepared: { header, scenarios }, store, parts, control });
}

/** Agents take far more of a machine than tools do. */
const agentsAtATime = 4;

/** How many trials run at a time where the request does not say so. */
export function concurrencyFor(scenarios: readonly Scenario[], { config, parts }: Project): number {
  const driven = new Set(parts.targets.filter(({ isAgentDriven }) => isAgentDriven).map(({ type }) => type));
  const hasAgents = scenarios.some(({ target }) => driven.has(target.type));
  return hasAgents ? Math.min(agentsAtATime, config.concurrency) : config.concurrency;
}

/** The steps to a run that is in the store and can begin, or go on where it was left with the same files. */
async function prepare(
  options: RunProjectOptions,
  parts: OpenTrialParts,
  resumed: ResumedRun | undefined,
  emit: Emit,
): Promise<PreparedRun> {
  const { project, env, request, sources, selection: chosen, workersFor } = options;
  const isShared = workersFor !== undefined && !request.retryErrors;
  if (resumed) await assertResumable(resumed.header, resumed.store, { isStage: chosen !== undefined, isShared });
  const source = resumed ? undefined : readRunSource(project.folder, env);
  const selectedBy = resumed?.header.request ?? request;
  const selection = chosen ?? (await selectScenarios(selectedBy, project, { env, sources }));
  if (resumed) {
    const changes = await changedFiles(resumed.header, selection.scenarios, project.folder);
    assertUnchanged(resumed.header, selection.scenarios, changes);
  }
  await assertRunnable(selection.scenarios, options, parts);
  if (!workersFor && selection.scenarios[0]) parts.targets.warm(selection.scenarios[0]);
  const store = summarizing(resumed?.store ?? (await options.openStore()));
  let planned: PlannedRun = {
    scenarios: selection.scenarios,
    request: resumed?.header.request ?? newRequest(request, project),
  };
  const warn = (message: string): void => emit({ type: 'warning', message });
  const place = { options: request, project, store, resumed: resumed?.header.runId, warn };
  for (const feature of features) planned = (await feature.plan?.(planned, place)) ?? planned;
  const header = resumed
    ? { ...resumed.header, status: 'running' as const, finishedAt: null }
    : await storeRun(planned, project, store, await source);
  return { ...selection, ...planned, header, store };
}

/** A run that is in the store and can begin or go on. */
export interface PreparedRun extends Selection {
  readonly header: RunHeader;
  readonly store: Store;
}

/** Writes a new run into the store. */
async function storeRun(
  { scenarios, request }: PlannedRun,
  { parts, folder }: Project,
  store: Store,
  source: RunSource | undefined,
): Promise<RunHeader> {
  const described = await withCalledFiles(runScenarios(scenarios, parts.targets), scenarios, folder);
  const planned = plannedCount(scenarios);
  const content = { planned, request, scenarios: described, ...(source && { source }) };
  const header = newRun(content, await startOfRun(store));
  await store.createRun(header);
  return header;
}

/** Refuses scenarios that cannot be run with the options, before anything is run. */
async function assertRunnable(
  scenarios: readonly Scenario[],
  { project, env, request }: RunProjectOptions,
  { redaction, openTapes, assertPriced }: OpenTrialParts,
): Promise<void> {
  assertCliToolsEnabled(scenarios, env);
  redaction.learn(scenarios);
  await openTapes(toolTapesOf(request), scenarios);
  if (request.batch) {
    const { assertBatchable } = await import('./judge-in-batches.ts');
    await assertBatchable(scenarios, project, request, env);
  }
  await assertPriced(scenarios);
}
