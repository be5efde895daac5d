import { AssayError } from '../../domain/errors.ts';
import { type JudgeShare, JudgeTally } from '../../domain/judge-share.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Emit, RunEvent, RunHeader, RunRequest, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { toolTapesOf } from '../../domain/tool-control/replay.ts';
import type { McpSessions } from '../../drive/mcp/session.ts';
import type { Threads } from '../../drive/targets/call/threads.ts';
import { type Rounds, run } from '../../engine/run.ts';
import type { RunControl } from '../../engine/store-trials.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import type { Store } from '../../keep/store/store.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { counted } from '../../shared/format.ts';
import type { Project } from '../config/project.ts';
import type { ExperimentQuestion } from '../experiment/plan-experiment.ts';
import type { CaseEdit } from './edit-case.ts';
import { type OpenTrialParts, openTrialParts } from './open-trial-parts.ts';
import { beginRun, type PreparedRun, resumeRun, type Selection, selectScenarios } from './prepare-run.ts';
import { fanOut } from './run-listeners.ts';
import { readRunSource } from './run-source.ts';
import { assertCliToolsEnabled } from './safety-switch.ts';
import { optionsInEffect, type ResumedRun, requestOf, type StartOptions } from './start-options.ts';

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
  /** Runs only this case, with changed input that is in no file. */
  readonly edit?: CaseEdit | undefined;
  /** Instead of the one of the request: a question with its own limits, or `stored` for that of the run to resume. */
  readonly experiment?: ExperimentQuestion | 'stored' | undefined;
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
  const options = { ...given, request };
  await using parts = await openTrialParts({ ...options, options: request });
  const { header, scenarios, otherFiles, warnings, store } = await prepare(options, parts, resumed);
  const judges = new JudgeTally();
  const emit = fanOut([(event) => judges.note(event), ...(options.listeners ?? [])]);
  const control = {
    concurrency: request.concurrency ?? concurrencyFor(scenarios, options.project),
    signal: options.signal ?? new AbortController().signal,
    emit,
    maxUsd: request.maxUsd,
  };
  const close = () => store[Symbol.asyncDispose]();
  try {
    const { retryErrors: retriesErrors = false } = request;
    const complete = parts.complete();
    const rounds = await openRounds(header, scenarios, store, emit);
    const ran = await run(header, scenarios, { store, ...complete }, { ...control, retriesErrors, rounds });
    const isWaiting = ran.waiting !== undefined && ran.run.status === 'finished';
    const summary = isWaiting ? await judgeWaitingTrials(options, ran, scenarios, store, complete, control) : ran;
    const judgeShare = isWaiting ? undefined : judges.share;
    return { summary, store, judgeShare, otherFiles, warnings, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openRounds(
  header: RunHeader,
  scenarios: readonly Scenario[],
  store: Store,
  emit: Emit,
): Promise<Rounds | undefined> {
  const { experiment } = header.request;
  if (!experiment) return undefined;
  const { ExperimentRounds } = await import('../experiment/experiment-rounds.ts');
  return ExperimentRounds.open({ header, plan: experiment, scenarios, store, emit });
}

async function judgeWaitingTrials(
  { project, env, request: options }: RunProjectOptions,
  { run: header }: RunSummary,
  scenarios: readonly Scenario[],
  store: Store,
  parts: TrialParts,
  control: RunControl,
): Promise<RunSummary> {
  const { judgeInBatches } = await import('../judge/judge-in-batches.ts');
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

async function prepare(
  options: RunProjectOptions,
  parts: OpenTrialParts,
  resumed: ResumedRun | undefined,
): Promise<PreparedRun & { readonly store: Store }> {
  const { project, env, request, sources, selection: chosen } = options;
  if (resumed) {
    const { store } = resumed;
    const prepared = await resumeRun(resumed.header, project, store, { env, sources, selection: chosen });
    if (options.experiment === 'stored') assertExperiment(prepared);
    await assertRunnable(prepared.scenarios, options, parts);
    return { ...(await inRounds(prepared)), store };
  }
  const source = readRunSource(project.folder, env);
  const selected = chosen ?? (await selectScenarios(request, project, { env, sources }));
  const selection = await selectEdited(selected, options);
  await assertRunnable(selection.scenarios, options, parts);
  if (selection.scenarios[0]) parts.targets.warm(selection.scenarios[0]);
  const store = await options.openStore();
  const complete = await requestOf(request, project, store);
  const { scenarios, request: planned } = await experimentOf(options, selection.scenarios, complete);
  return { ...(await beginRun({ ...selection, scenarios }, planned, project, { store, source: await source })), store };
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
    const { assertBatchable } = await import('../judge/judge-in-batches.ts');
    await assertBatchable(scenarios, project, request, env);
  }
  await assertPriced(scenarios);
}

function assertExperiment({ header: { runId, request } }: PreparedRun): void {
  if (request.experiment) return;
  throw new AssayError('USAGE', `${runId} is not an experiment.`, {
    hint: `Continue it with \`assay run --resume ${runId}\`.`,
  });
}

async function inRounds(resumed: PreparedRun): Promise<PreparedRun> {
  const { request } = resumed.header;
  if (!request.experiment) return resumed;
  const { withRounds } = await import('../experiment/plan-experiment.ts');
  return { ...resumed, scenarios: withRounds(resumed.scenarios, request) };
}

async function experimentOf(
  { experiment, request: { experiment: wish, maxUsd }, listeners = [] }: RunProjectOptions,
  scenarios: readonly Scenario[],
  request: RunRequest,
): Promise<{ readonly scenarios: readonly Scenario[]; readonly request: RunRequest }> {
  if (experiment === 'stored' || (experiment ?? wish) === undefined) return { scenarios, request };
  const { planExperiment, questionOf, withRounds } = await import('../experiment/plan-experiment.ts');
  const question = experiment ?? (wish && questionOf(wish, maxUsd));
  if (!question) return { scenarios, request };
  const { plan, leftOut } = await planExperiment(question, scenarios);
  const message = `${counted(leftOut, 'case')} left out: not tried under the reference and another variant.`;
  if (leftOut > 0) for (const listen of listeners) listen({ type: 'warning', message });
  const planned = { ...request, experiment: plan };
  return { scenarios: withRounds(scenarios, planned), request: planned };
}

async function selectEdited<Selected extends { readonly scenarios: readonly Scenario[] }>(
  selection: Selected,
  { edit, project }: RunProjectOptions,
): Promise<Selected> {
  const [scenario] = selection.scenarios;
  if (!edit || !scenario) return selection;
  const { withEditedCase } = await import('./edit-case.ts');
  return { ...selection, scenarios: [await withEditedCase(scenario, edit, project.parts)] };
}
