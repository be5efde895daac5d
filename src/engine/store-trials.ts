import { type AssayError, asAssayError } from '../domain/errors.ts';
import { type Emit, type RunHeader, type RunSummary, summarizeRun } from '../domain/run.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import { pullConcurrently, type Room } from '../shared/async.ts';

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

interface StoringParts {
  readonly store: Pick<Store, 'saveTrials'>;
  readonly emit: Emit;
  /** How many may run at a time, now. */
  readonly room: number | Room;
}

/** Finishes trials, several at a time, and stores them. */
export async function storeTrials<Item>(
  items: AsyncIterator<Item>,
  { store, emit, room }: StoringParts,
  finish: (item: Item) => Promise<FinishedTrial | undefined>,
): Promise<void> {
  await using writer = new RecordWriter(store, emit);
  await pullConcurrently(items, room, async (item) => {
    const finished = await finish(item);
    if (finished) await writer.add(finished);
  });
  await writer.flush();
}

/** Emits how a run ended, as the store has it. */
export async function concludeRun(header: RunHeader, store: Store, emit: Emit): Promise<RunSummary> {
  const summary = await storedSummary(header, store);
  emit({ type: 'run-finished', summary });
  return summary;
}

/** A run as the store has it now. */
export async function storedSummary(header: RunHeader, store: Store): Promise<RunSummary> {
  const { runId } = header;
  return summarizeRun((await store.findRun(runId)) ?? header, await store.countTrials(runId), Date.now());
}
