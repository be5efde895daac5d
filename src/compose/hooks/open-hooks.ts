import type { RunHeader } from '../../domain/run.ts';
import type { RunHooks } from '../../engine/run-hooks.ts';
import type { Project } from '../config/project.ts';
import type { HooksConfig } from './hooks-config.ts';
import { ProjectHooks, type ProjectHooksOptions } from './project-hooks.ts';

interface OpenHooksOptions extends Pick<ProjectHooksOptions, 'env' | 'signal' | 'isWorker' | 'redact'> {
  readonly project: Project;
  readonly hooks: HooksConfig;
}

/** The hooks of a project around one of its runs. */
export function openHooks({ runId, request }: RunHeader, options: OpenHooksOptions): RunHooks {
  const { project, hooks, env, signal, isWorker, redact } = options;
  const timeoutMs = (request.timeoutSecs ?? project.config.timeoutSecs) * 1_000;
  return new ProjectHooks({ hooks, folder: project.folder, env, redact, signal, runId, timeoutMs, isWorker });
}
