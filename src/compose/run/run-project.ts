import { AssayError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Emit, RunEvent, RunHeader, RunRequest, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { McpSessions } from '../../drive/mcp/session.ts';
import type { Threads } from '../../drive/targets/call/threads.ts';
import { type Rounds, run } from '../../engine/run.ts';
import type { RunControl } from '../../engine/store-trials.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import type { Store } from '../../keep/store/store.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Project } from '../config/project.ts';
import type { ExperimentQuestion } from '../experiment/plan-experiment.ts';
import type { JudgeFlags } from '../judge/judging.ts';
import type { CaseEdit } from './edit-case.ts';
import { type OpenTrialParts, openTrialParts } from './open-trial-parts.ts';
import { beginRun, type PreparedRun, resumeRun, type Selection, selectScenarios } from './prepare-run.ts';
import { fanOut } from './run-listeners.ts';
import { readRunSource } from './run-source.ts';
import { assertCliToolsEnabled } from './safety-switch.ts';

export interface RunProjectOptions {
  readonly project: Project;
  /** Opens the store, which is done while the first target starts. */
  openStore(): Promise<Store>;
  /** Scenarios to run; paths are relative to the project's folder. */
  readonly request: PartialRequest;
  /** Scenarios that were read already, beside the files of the request. */
  readonly sources?: readonly ParsedSource[] | undefined;
  /** Scenarios that were selected already, instead of those of the request or of the run to resume. */
  readonly selection?: Selection | undefined;
  /** Id of an interrupted run to finish instead of beginning a new one. */
  readonly resume?: string | undefined;
  /** With `resume`: runs trials again that ended in an error. */
  readonly retriesErrors?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeFlags | undefined;
  /** True: unchanged trials with a CLI tool are taken over; undefined: where their files request it; false: never. */
  readonly reuse?: boolean | undefined;
  /** Runs only this case, with changed input that is in no file. */
  readonly edit?: CaseEdit | undefined;
  /** Runs the trials in rounds until the question is decided; `stored`: with `resume`, that of the earlier run. */
  readonly experiment?: ExperimentQuestion | 'stored' | undefined;
  /** Whether golden files are written where they differ. */
  readonly updatesGolden?: boolean | undefined;
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
  /** Data files in the folders that are not scenarios. */
  readonly otherFiles: readonly string[];
  /** Warnings about the scenario files. */
  readonly warnings: readonly Problem[];
}

/** Runs the scenarios of a project on the registered parts; the verdicts are in the store when it resolves. */
export async function runProject(options: RunProjectOptions): Promise<ProjectRun> {
  await using parts = await openTrialParts(options);
  const { project } = options;
  const { header, scenarios, otherFiles, warnings, store } = await prepare(options, parts);
  const emit = fanOut(options.listeners ?? []);
  const control = {
    concurrency: options.concurrency ?? concurrencyFor(scenarios, project),
    signal: options.signal ?? new AbortController().signal,
    emit,
    maxUsd: options.judge?.maxUsd,
  };
  const close = () => store[Symbol.asyncDispose]();
  try {
    const { retriesErrors = false } = options;
    const complete = parts.complete();
    const rounds = await openRounds(header, scenarios, store, emit);
    const ran = await run(header, scenarios, { store, ...complete }, { ...control, retriesErrors, rounds });
    const isWaiting = ran.waiting !== undefined && ran.run.status === 'finished';
    const summary = isWaiting ? await judgeWaitingTrials(options, ran, scenarios, store, complete, control) : ran;
    return { summary, store, otherFiles, warnings, [Symbol.asyncDispose]: close };
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
  { project, env, judge = {}, retriesErrors = false }: RunProjectOptions,
  { run: header }: RunSummary,
  scenarios: readonly Scenario[],
  store: Store,
  parts: TrialParts,
  control: RunControl,
): Promise<RunSummary> {
  const { judgeInBatches } = await import('../judge/judge-in-batches.ts');
  return judgeInBatches({ project, env, judge, prepared: { header, scenarios }, store, parts, control, retriesErrors });
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
  { targets, redaction, assertPriced, openTapes }: OpenTrialParts,
): Promise<PreparedRun & { readonly store: Store }> {
  const { project } = options;
  const context = { isJudgeForced: options.judge?.isWanted === true, env: options.env, sources: options.sources };
  if (options.resume) {
    const store = await options.openStore();
    const resumed = await resumeRun(options.resume, project, store, { ...context, selection: options.selection });
    if (options.experiment === 'stored') assertExperiment(resumed);
    assertCliToolsEnabled(resumed.scenarios, options.env);
    redaction.learn(resumed.scenarios);
    assertSameTapes(options.request, resumed);
    await openTapes(resumed.header.request.toolTapes, resumed.scenarios);
    await assertBatches(options, resumed.scenarios);
    await assertPriced(resumed.scenarios);
    return { ...(await inRounds(resumed)), store };
  }
  const request = completeRequest(options.request, project);
  const source = readRunSource(project.folder, options.env);
  const selected = options.selection ?? (await selectScenarios(request, project, context));
  const selection = await selectEdited(selected, options);
  assertCliToolsEnabled(selection.scenarios, options.env);
  redaction.learn(selection.scenarios);
  await openTapes(request.toolTapes, selection.scenarios);
  await assertBatches(options, selection.scenarios);
  await assertPriced(selection.scenarios);
  if (selection.scenarios[0]) targets.warm(selection.scenarios[0]);
  const store = await options.openStore();
  const numbered = request.eval
    ? await (await import('./eval-request.ts')).withExecution(request, project, store)
    : request;
  const { scenarios, request: planned } = await experimentOf(options, selection.scenarios, numbered);
  return { ...(await beginRun({ ...selection, scenarios }, planned, project, { store, source: await source })), store };
}

/** A run that was begun with a recording is finished with it. */
function assertSameTapes({ toolTapes }: PartialRequest, { header: { runId, request } }: PreparedRun): void {
  if (toolTapes === undefined || canonicalJson(toolTapes) === canonicalJson(request.toolTapes)) return;
  throw new AssayError('USAGE', `${runId} was begun with other recordings of tool calls.`, {
    hint: 'Leave out --record-tools and --replay-tools: the run keeps those that it was begun with.',
  });
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
  { experiment: question, listeners = [] }: RunProjectOptions,
  scenarios: readonly Scenario[],
  request: RunRequest,
): Promise<{ readonly scenarios: readonly Scenario[]; readonly request: RunRequest }> {
  if (!question || question === 'stored') return { scenarios, request };
  const { planExperiment, withRounds } = await import('../experiment/plan-experiment.ts');
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

async function assertBatches(
  { project, judge, env }: RunProjectOptions,
  scenarios: readonly Scenario[],
): Promise<void> {
  if (!judge?.batch) return;
  const { assertBatchable } = await import('../judge/judge-in-batches.ts');
  await assertBatchable(scenarios, project, judge, env);
}

/** A request whose omitted options come from the project. */
export type PartialRequest = { readonly [Key in keyof RunRequest]?: RunRequest[Key] | undefined };

/** Fills in the defaults of a request. */
export function completeRequest(request: PartialRequest, project: Project): RunRequest {
  return {
    paths: request.paths ?? [...project.config.scenarios],
    tags: request.tags ?? [],
    tier: request.tier ?? null,
    scenario: request.scenario ?? null,
    repeat: request.repeat ?? null,
    timeoutSecs: request.timeoutSecs ?? null,
    variants: request.variants ?? null,
    origin: request.origin ?? null,
    serverParts: request.serverParts ?? [],
    ...(request.arms === undefined ? {} : { arms: request.arms }),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.scenarios === undefined ? {} : { scenarios: request.scenarios }),
    ...(request.eval === undefined ? {} : { eval: request.eval }),
    ...(request.only === undefined ? {} : { only: request.only }),
    ...(request.improvement === undefined ? {} : { improvement: request.improvement }),
    ...(request.experiment === undefined ? {} : { experiment: request.experiment }),
    ...(request.attacks === undefined ? {} : { attacks: request.attacks }),
    ...(request.toolTapes === undefined ? {} : { toolTapes: request.toolTapes }),
  };
}
