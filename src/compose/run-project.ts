import type { RunRequest, RunSummary } from '../domain/run.ts';
import type { RunEvent } from '../domain/run-event.ts';
import { run } from '../engine/run.ts';
import { TargetPool } from '../engine/target-pool.ts';
import type { Store } from '../store/store.ts';
import { Threads } from '../targets/threads.ts';
import type { Project } from './config.ts';
import { fanOut } from './fan-out.ts';
import type { JudgeFlags } from './judge-settings.ts';
import { ProjectJudging } from './judging.ts';
import { registeredEvaluators, registeredTargets } from './parts.ts';
import { beginRun, type PreparedRun, resumeRun, selectScenarios } from './prepare-run.ts';

export interface RunProjectOptions {
  readonly project: Project;
  /** Opens the store, which is done while the first target starts. */
  openStore(): Promise<Store>;
  /** What to run; paths are relative to the project's folder. */
  readonly request: PartialRequest;
  /** Id of an interrupted run to finish instead of beginning a new one. */
  readonly resume?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeFlags | undefined;
  /** One that has a thread ready, where that could be started earlier. */
  readonly threads?: Threads | undefined;
  readonly listeners?: readonly ((event: RunEvent) => void)[];
}

/** A finished run with its open store; disposing of it closes the store. */
export interface ProjectRun extends AsyncDisposable {
  readonly summary: RunSummary;
  readonly store: Store;
  /** Data files beside the scenarios that are none. */
  readonly otherFiles: readonly string[];
}

/** Runs the scenarios of a project on the registered parts; the verdicts are in the store when it resolves. */
export async function runProject(options: RunProjectOptions): Promise<ProjectRun> {
  await using threads = options.threads ?? new Threads();
  await using targets = new TargetPool(registeredTargets, { env: options.env, threads });
  await using judging = new ProjectJudging(options.project, options.judge ?? {}, options.env);
  const { header, scenarios, otherFiles, store } = await prepare(options, targets);
  const emit = fanOut(options.listeners ?? [], (error) => {
    process.emitWarning(`A listener of run events failed and hears no more: ${String(error)}`);
  });
  const control = {
    concurrency: options.concurrency ?? options.project.config.concurrency,
    signal: options.signal ?? new AbortController().signal,
    emit,
  };
  const close = () => store[Symbol.asyncDispose]();
  try {
    const summary = await run(
      header,
      scenarios,
      { store, targets, judging, evaluators: registeredEvaluators },
      control,
    );
    return { summary, store, otherFiles, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function prepare(
  options: RunProjectOptions,
  targets: TargetPool,
): Promise<PreparedRun & { readonly store: Store }> {
  const { project } = options;
  const isJudgeForced = options.judge?.isWanted === true;
  if (options.resume) {
    const store = await options.openStore();
    return { ...(await resumeRun(options.resume, project, store, isJudgeForced)), store };
  }
  const request = completeRequest(options.request, project);
  const selection = await selectScenarios(request, project, isJudgeForced);
  if (selection.scenarios[0]) targets.warm(selection.scenarios[0]);
  const store = await options.openStore();
  return { ...(await beginRun(selection, request, store)), store };
}

type PartialRequest = { readonly [Key in keyof RunRequest]?: RunRequest[Key] | undefined };

/** What a request leaves open, filled in. */
export function completeRequest(request: PartialRequest, project: Project): RunRequest {
  return {
    paths: request.paths ?? [...project.config.scenarios],
    tags: request.tags ?? [],
    tier: request.tier ?? null,
    scenario: request.scenario ?? null,
    repeat: request.repeat ?? null,
    timeoutSecs: request.timeoutSecs ?? null,
  };
}
