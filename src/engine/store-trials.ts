import { type AssayError, asAssayError } from '../domain/errors.ts';
import {
  type Emit,
  type RunHeader,
  type RunSummary,
  type RunWait,
  summarizeRun,
  withHookProblems,
  withWaits,
} from '../domain/run.ts';
import type { RunLease } from '../keep/store/run-lease.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import { pullConcurrently, type Room } from '../shared/async.ts';
import type { LiveControls } from './live-controls.ts';
import type { RunHooks } from './run-hooks.ts';

/** Trials per commit at most. */
const batchLimit = 256;
/** Trials that may wait for their commit before the run has to wait too. */
const waitingLimit = 512;
/** Longest time a trial waits for others to share its commit. */
const longestLingerMs = 100;
/** A commit holds everything up, so no more than about a tenth of the time goes into commits. */
const lingerPerCommit = 10;

/**
 * Commits records in batches and reports a trial only after its commit. How long a batch is collected follows from
 * how long the last commit took: a slow disk gets fewer, larger commits, and a lone trial is not kept waiting.
 */
export class RecordWriter implements AsyncDisposable {
  readonly #store: Pick<Store, 'saveTrials'>;
  readonly #emit: Emit;
  #waiting: FinishedTrial[] = [];
  #committing: Promise<void> | undefined;
  #lastCommitMs = 0;
  #failure: { readonly error: AssayError } | undefined;
  #stopLingering: () => void = () => {};

  constructor(store: Pick<Store, 'saveTrials'>, emit: Emit) {
    this.#store = store;
    this.#emit = emit;
  }

  /** Takes a record over; resolves when there is room for more, not when it is stored. Throws once a commit failed. */
  async add(trial: FinishedTrial): Promise<void> {
    this.#throwFailure();
    this.#waiting.push(trial);
    if (this.#waiting.length >= batchLimit) this.#stopLingering();
    this.#committing ??= this.#commitAll();
    if (this.#waiting.length < waitingLimit) return;
    await this.#committing;
    this.#throwFailure();
  }

  /** Resolves when everything taken over is stored. */
  async flush(): Promise<void> {
    while (!this.#failure && (this.#waiting.length > 0 || this.#committing)) {
      this.#stopLingering();
      this.#committing ??= this.#commitAll();
      await this.#committing;
    }
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #commitAll(): Promise<void> {
    try {
      do {
        await this.#linger();
        const batch = this.#waiting.splice(0, batchLimit);
        const began = performance.now();
        await this.#store.saveTrials(batch);
        this.#lastCommitMs = performance.now() - began;
        for (const { record } of batch) this.#emit({ type: 'trial-finished', record });
      } while (this.#waiting.length > 0);
    } catch (error) {
      this.#failure = { error: asAssayError(error, 'STORE_UNAVAILABLE') };
    } finally {
      this.#committing = undefined;
    }
  }

  async #linger(): Promise<void> {
    if (this.#waiting.length >= batchLimit) return;
    const lingerMs = Math.min(lingerPerCommit * this.#lastCommitMs, longestLingerMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lingerMs);
      this.#stopLingering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#stopLingering = () => {};
  }

  /** Stores what was taken over, if the store lets it; a failure was thrown to the run already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().catch(() => undefined);
  }
}

export interface RunControl {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Spending limit of the run, where it has one. */
  readonly maxUsd?: number | undefined;
}

/** The trials that a run still has to do. */
export interface MissingTrials<Item> {
  readonly alreadyStored: number;
  readonly missing: AsyncGenerator<Item, void>;
}

interface StoringParts {
  readonly store: Store;
  readonly lease: Pick<RunLease, 'end'>;
  readonly control: RunControl;
  /** Waits for rate limits since it was last called. */
  readonly takeWaits?: (() => Promise<readonly RunWait[]>) | undefined;
  /** Settings that can be changed while the run goes on; by default they cannot. */
  readonly live?: Pick<LiveControls, keyof Room | 'pausedMs'> | undefined;
  readonly hooks?: RunHooks | undefined;
  /** Adds to a run what became of it while it ran. */
  readonly described?: ((run: RunHeader) => RunHeader) | undefined;
}

/** Finishes trials, several at a time, stores and reports them, and summarizes the run. */
export async function storeTrials<Item>(
  header: RunHeader,
  { alreadyStored, missing }: MissingTrials<Item>,
  parts: StoringParts,
  finish: (item: Item) => Promise<FinishedTrial | undefined>,
  /** Called when everything is stored: the trials that run again. */
  further: () => Promise<AsyncGenerator<Item, void> | undefined> = async () => undefined,
): Promise<RunSummary> {
  const { store, lease, control, takeWaits = async () => [], live, hooks, described = (run) => run } = parts;
  const { concurrency, emit, signal } = control;
  await using writer = new RecordWriter(store, emit);
  emit({ type: 'run-started', run: described(header), alreadyStored, concurrency });
  for (let items: typeof missing | undefined = missing; items; items = await further()) {
    await pullConcurrently(items, live ?? concurrency, async (item) => {
      const finished = await finish(item);
      if (finished) await writer.add(finished);
    });
    await writer.flush();
  }

  const status = signal.aborted ? 'interrupted' : 'finished';
  const waited = await takeWaits();
  if (waited.length > 0) await store.addWaits(header.runId, waited);
  const paused = live && live.pausedMs > 0 ? { pausedMs: live.pausedMs } : {};
  const run = described(header);
  const closed = hooks ? await endHooks(hooks, { ...run, status }, store) : run;
  const ended = { ...withWaits(closed, waited), ...paused, status, finishedAt: Date.now() } as const;
  await lease.end(status, ended.finishedAt);
  const summary = summarizeRun(ended, await store.countTrials(header.runId), Date.now());
  emit({ type: 'run-finished', summary });
  return summary;
}

/** Runs what comes after the trials of a run, and keeps which hooks failed: they change no verdict. */
export async function endHooks(hooks: RunHooks, run: RunHeader, store: Store): Promise<RunHeader> {
  const now = Date.now();
  await hooks.end(async () => summarizeRun(run, await store.countTrials(run.runId), now).outcome);
  const problems = hooks.takeProblems();
  if (problems.length > 0) await store.addHookProblems(run.runId, problems);
  return withHookProblems(run, problems);
}
