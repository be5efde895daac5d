import type { ProjectRun, RunProjectOptions } from '../../../compose/run/run-project.ts';
import type { RunWebhooks } from '../../../compose/webhooks/run-webhooks.ts';

/** Runs whose webhooks and traces are sent in the background. Disposing waits for what is being sent, which has a time limit. */
export class AnnouncedRuns implements AsyncDisposable {
  readonly #sending = new Set<Promise<void>>();

  /** Resolves when the run is stored. */
  async run(options: RunProjectOptions): Promise<void> {
    const { runProject } = await import('../../../compose/run/run-project.ts');
    const webhooks = await webhooksOf(options);
    const isExported = !isEdit(options) && options.project.config.export.otlp !== undefined;
    if (!webhooks && !isExported) {
      await using _finished = await runProject(options);
      return;
    }
    try {
      const listeners = [...(options.listeners ?? []), ...(webhooks ? [webhooks.listen] : [])];
      const finished = await runProject({ ...options, listeners });
      const sent = Promise.all([webhooks?.finished(finished), isExported && exported(finished, options)]);
      this.#send(sent.then(() => undefined).finally(() => finished[Symbol.asyncDispose]()));
    } catch (error) {
      if (webhooks) this.#send(webhooks.broke(error));
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sending);
  }

  #send(sent: Promise<void>): void {
    const sending = sent.finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}

async function exported({ summary, store }: ProjectRun, { project, env }: RunProjectOptions): Promise<void> {
  const { exportAfterRun } = await import('../../../compose/export/export-after-run.ts');
  await exportAfterRun(summary.run, { project, env, store, warn });
}

function warn(message: string): void {
  process.stderr.write(`  warning: ${message}\n`);
}

/** Trials of edited input are not announced: they are not evidence. */
function isEdit({ request: { origin } }: RunProjectOptions): boolean {
  return origin?.kind === 'edit';
}

async function webhooksOf(options: RunProjectOptions): Promise<RunWebhooks | undefined> {
  const { project, env } = options;
  if (isEdit(options) || project.config.webhooks.length === 0) return undefined;
  const { RunWebhooks } = await import('../../../compose/webhooks/run-webhooks.ts');
  return new RunWebhooks({ project, env, warn });
}
