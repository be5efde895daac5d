import type { Collector } from '../../compose/collect/collector.ts';
import type { Project } from '../../compose/config/project.ts';
import { asAssayError } from '../../domain/errors.ts';
import type { ServerContext } from './context.ts';

type Warn = (message: string) => void;

/** The collector of a served project, opened by its first request, and again when the config of the project changed. */
export class ServedCollector implements AsyncDisposable {
  readonly #context: Pick<ServerContext, 'project' | 'env' | 'store'>;
  readonly #warn: Warn;
  #open: { readonly project: Project; readonly collector: Collector } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #warned = '';

  constructor(context: Pick<ServerContext, 'project' | 'env' | 'store'>, warn: Warn) {
    this.#context = context;
    this.#warn = warn;
  }

  /** With a config that became wrong, traces are taken as before. */
  current(): Promise<Collector> {
    const found = this.#turn.then(() => this.#current());
    this.#turn = found.catch(() => undefined);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    await this.#open?.collector[Symbol.asyncDispose]();
  }

  async #current(): Promise<Collector> {
    try {
      const project = await this.#context.project();
      if (this.#open?.project === project) return this.#open.collector;
      if (this.#open) await assertRules(project, this.#context.env);
      return await this.#reopen(project);
    } catch (error) {
      if (!this.#open) throw error;
      this.#warnOnce(`Traces are collected by the earlier config: ${asAssayError(error).message}`);
      return this.#open.collector;
    }
  }

  async #reopen(project: Project): Promise<Collector> {
    await this.#open?.collector[Symbol.asyncDispose]();
    this.#open = undefined;
    const { Collector } = await import('../../compose/collect/collector.ts');
    const { env, store } = this.#context;
    const collector = await Collector.open({ project, env, store, warn: this.#warn });
    this.#open = { project, collector };
    this.#warned = '';
    return collector;
  }

  #warnOnce(message: string): void {
    if (message !== this.#warned) this.#warn(message);
    this.#warned = message;
  }
}

/** Before the collector that is open is closed for another one. */
async function assertRules(project: Project, env: ServerContext['env']): Promise<void> {
  const { prepareRules } = await import('../../compose/rules/prepare-rules.ts');
  await prepareRules(project, env);
}
