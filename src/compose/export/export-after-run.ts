import { asAssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';
import type { Project } from '../config/project.ts';
import { exportRuns } from './export-runs.ts';
import { otlpDestination } from './otlp-destination.ts';
import { otlpReceiver } from './otlp-receiver.ts';

interface AfterRunOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  warn(message: string): void;
}

/** Sends a run where the config wants it. Whatever fails is a warning, and changes nothing about the run. */
export async function exportAfterRun(run: RunHeader, options: AfterRunOptions): Promise<void> {
  const { project, env, store, warn } = options;
  const config = project.config.export;
  if (config.otlp === undefined) return;
  try {
    const destination = otlpDestination(undefined, config, env);
    const signal = AbortSignal.timeout(config.timeoutSecs * 1_000);
    const { failures, waiting } = await exportRuns([run], {
      project,
      env,
      store,
      receiver: otlpReceiver(destination),
      signal,
    });
    for (const failure of failures) warn(`Export to ${destination.host}: ${failure}.`);
    if (waiting.includes(run.runId))
      warn(`${counted(waiting.length, 'run')} will be sent after the next run, or with \`assay export\`.`);
  } catch (error) {
    warn(`The run could not be exported: ${asAssayError(error).message}`);
  }
}
