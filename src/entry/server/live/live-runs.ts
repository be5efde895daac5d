import type { Project } from '../../../compose/config/project.ts';
import type { JudgeOptions } from '../../../compose/judge/judging.ts';
import type { RunProjectOptions } from '../../../compose/run/run-project.ts';
import { noTrials, type RunCounts, type RunEvent } from '../../../domain/run.ts';
import type { StoredFiles } from '../../../keep/bundles/stored-files.ts';
import type { Store } from '../../../keep/store/store.ts';
import { Refusal } from '../refusal.ts';
import { AnnouncedRuns } from './announced-runs.ts';
import type { EventFeed } from './event-feed.ts';
import { LiveRun } from './live-run.ts';

const mostAtATime = 4;

type RunOptions = RunProjectOptions;

/** A run to start. */
export type RunWish = Pick<RunOptions, 'request' | 'selection'>;

interface LiveRunsOptions {
  readonly store: Store;
  readonly files: StoredFiles;
  readonly env: RunOptions['env'];
  project(): Promise<Project>;
  openStore(): Promise<Store>;
}

/** The runs that go on in this process. Disposing of them interrupts them, and waits until they are stored. */
export class LiveRuns implements AsyncDisposable {
  readonly #options: LiveRunsOptions;
  readonly #live = new Map<string, LiveRun>();
  readonly #announced = new AnnouncedRuns();
  /** Those that are about to begin as well. */
  readonly #work = new Map<LiveRun, Promise<void>>();

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  /** Begins a run and gives its id; what is wrong with the files is thrown before anything is run. */
  async start(wish: RunWish): Promise<string> {
    const project = await this.#options.project();
    return this.#launch(noTrials, (options) => ({ ...options, ...wish, project }));
  }

  /** Goes on with a run that was interrupted, or runs those of its trials again that ended in an error. */
  async resume(runId: string, retryErrors = false): Promise<string> {
    if (this.#live.has(runId)) throw alreadyLive(runId);
    const project = await this.#options.project();
    const stored = await this.#options.store.countTrials(runId);
    const before = retryErrors ? { ...stored, error: 0 } : stored;
    return this.#launch(before, (options) => ({ ...options, project, request: { resume: runId, retryErrors } }));
  }

  /** Evaluates what a run left behind again, as a new run. */
  async rescore(runId: string, judge?: JudgeOptions): Promise<string> {
    if (this.#live.has(runId)) throw alreadyLive(runId);
    const { env, files } = this.#options;
    const project = await this.#options.project();
    const { rescoreProject } = await import('../../../compose/rescore/rescore-stored.ts');
    return this.#begin(new LiveRun(noTrials), async (live, listen) => {
      await using store = await this.#options.openStore();
      const { signal } = live;
      await rescoreProject({ project, store, files, run: runId, paths: [], env, judge, signal, listeners: [listen] });
    });
  }

  isLive(runId: string): boolean {
    return this.#live.has(runId);
  }

  /** The events of a run of this process. */
  feed(runId: string): EventFeed | undefined {
    return this.#live.get(runId)?.feed;
  }

  /** False where no such run goes on here. */
  cancel(runId: string): boolean {
    const live = this.#live.get(runId);
    live?.cancel();
    return live !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const live of this.#work.keys()) live.cancel();
    await Promise.all(this.#work.values());
    await this.#announced[Symbol.asyncDispose]();
  }

  async #launch(
    before: RunCounts,
    completed: (options: Pick<RunOptions, 'openStore' | 'env' | 'signal' | 'listeners'>) => RunOptions,
  ): Promise<string> {
    const { env } = this.#options;
    return this.#begin(new LiveRun(before), async (live, listen) => {
      const openStore = () => this.#options.openStore();
      const { signal } = live;
      await this.#announced.run(completed({ openStore, env, signal, listeners: [listen] }));
    });
  }

  /** Resolves when the run has begun; it goes on by itself. */
  #begin(live: LiveRun, work: (live: LiveRun, listen: (event: RunEvent) => void) => Promise<void>): Promise<string> {
    if (this.#work.size >= mostAtATime) throw tooMany();
    return new Promise((resolve, reject) => {
      let runId: string | undefined;
      const listen = (event: RunEvent): void => {
        if (event.type === 'run-started') {
          runId = event.run.runId;
          this.#live.set(runId, live);
          resolve(runId);
        }
        live.listen(event);
      };
      const done = work(live, listen).then(
        () => this.#ended(runId, () => live.finish()),
        async (error) => {
          reject(error);
          if (runId !== undefined) await this.#leaveInterrupted(runId);
          this.#ended(runId, () => live.fail(error));
        },
      );
      this.#work.set(
        live,
        done.finally(() => this.#work.delete(live)),
      );
    });
  }

  /** The run is removed before its end is published, so listeners find it ended. */
  #ended(runId: string | undefined, publish: () => void): void {
    if (runId !== undefined) this.#live.delete(runId);
    publish();
  }

  /** No process continues it, whatever the store says. */
  async #leaveInterrupted(runId: string): Promise<void> {
    await this.#options.store.setRunStatus(runId, 'interrupted', Date.now()).catch(() => undefined);
  }
}

function alreadyLive(runId: string): Refusal {
  return new Refusal(409, 'RUN_LIVE', `${runId} is still running.`, { hint: 'Wait until it ends, or cancel it.' });
}

function tooMany(): Refusal {
  return new Refusal(409, 'TOO_MANY_RUNS', `${mostAtATime} runs are already running here.`, {
    hint: 'Wait until one ends, or cancel one.',
  });
}
