import type { RunProjectOptions } from '../../../compose/run/run-project.ts';
import type { RunWebhooks } from '../../../compose/webhooks/run-webhooks.ts';

/** Runs whose webhooks are sent in the background. Disposing waits for what is being sent, which has a time limit. */
export class AnnouncedRuns implements AsyncDisposable {
  readonly #sending = new Set<Promise<void>>();

  /** Resolves when the run is stored. */
  async run(options: RunProjectOptions): Promise<void> {
    const { runProject } = await import('../../../compose/run/run-project.ts');
    const webhooks = await webhooksOf(options);
    if (!webhooks) {
      await using _finished = await runProject(options);
      return;
    }
    try {
      const finished = await runProject({ ...options, listeners: [...(options.listeners ?? []), webhooks.listen] });
      this.#send(webhooks.finished(finished).finally(() => finished[Symbol.asyncDispose]()));
    } catch (error) {
      this.#send(webhooks.broke(error));
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

/** Trials of edited input are not announced: they are not evidence. */
async function webhooksOf({ project, env, edit }: RunProjectOptions): Promise<RunWebhooks | undefined> {
  if (edit || project.config.webhooks.length === 0) return undefined;
  const { RunWebhooks } = await import('../../../compose/webhooks/run-webhooks.ts');
  return new RunWebhooks({ project, env, warn: (message) => void process.stderr.write(`  warning: ${message}\n`) });
}
