import type { RunEvent } from '../domain/run-event.ts';
import type { RunRequest, RunSummary } from '../domain/run.ts';
import { run } from '../engine/run.ts';
import type { Store } from '../store/store.ts';
import type { Project } from './config.ts';
import { fanOut } from './fan-out.ts';
import { engineParts } from './parts.ts';
import { beginRun, type PreparedRun, resumeRun } from './prepare-run.ts';

export interface RunProjectOptions {
  readonly project: Project;
  readonly store: Store;
  /** What to run; paths are relative to the project's folder. */
  readonly request: PartialRequest;
  /** Id of an interrupted run to finish instead of beginning a new one. */
  readonly resume?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly listeners?: readonly ((event: RunEvent) => void)[];
}

/** Runs the scenarios of a project on the registered parts; the verdicts are in the store when it resolves. */
export async function runProject(options: RunProjectOptions): Promise<RunSummary & Pick<PreparedRun, 'otherFiles'>> {
  const { project, store, env } = options;
  const prepared = options.resume
    ? await resumeRun(options.resume, project, store)
    : await beginRun(completeRequest(options.request, project), project, store);
  const emit = fanOut(options.listeners ?? [], (error) => {
    process.emitWarning(`A listener of run events failed and hears no more: ${String(error)}`);
  });
  const summary = await run(prepared.header, prepared.scenarios, { ...engineParts, store, env }, {
    concurrency: options.concurrency ?? project.config.concurrency,
    signal: options.signal ?? new AbortController().signal,
    emit,
  });
  return { ...summary, otherFiles: prepared.otherFiles };
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
