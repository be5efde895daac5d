import type { Emit, RunControls } from '../domain/run.ts';
import type { Store } from '../keep/store/store.ts';
import type { Room } from '../shared/async.ts';

/** How often a run looks for changes of its settings. */
const pollMs = 500;

interface LiveControlsOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly runId: string;
  readonly store: Pick<Store, 'readControls' | 'beginControls'>;
  /** Spending limit that the run was started with. */
  readonly maxUsd?: number | undefined;
  readonly setBudget?: ((maxUsd: number) => void) | undefined;
}

/** Settings of a live run as they are changed from outside, read from the store while the run goes on. */
export class LiveControls implements Room, Disposable {
  readonly #options: LiveControlsOptions;
  readonly #timer: NodeJS.Timeout;
  #changed: () => void = () => undefined;
  #seen: RunControls | undefined;
  #requeues: number;
  #isLooking = false;

  private constructor(options: LiveControlsOptions, requeues: number) {
    this.#options = options;
    this.#requeues = requeues;
    this.#timer = setInterval(() => void this.#poll(), pollMs);
    options.signal.addEventListener('abort', () => this.#changed());
  }

  /** Begins with the settings of the command that starts the run; a pause from before ends, and the run says so. */
  static async open(options: LiveControlsOptions): Promise<LiveControls> {
    const { runId, store, maxUsd, emit } = options;
    const before = await store.beginControls(runId, maxUsd);
    if (before?.isPaused) emit({ type: 'warning', message: 'The run was paused; it goes on now.' });
    return new LiveControls(options, before?.requeues ?? 0);
  }

  /** None begins while the run is paused; an interrupted one comes to its end. */
  get limit(): number {
    const { concurrency, signal } = this.#options;
    if (signal.aborted) return concurrency;
    return this.#seen?.isPaused ? 0 : (this.#seen?.concurrency ?? concurrency);
  }

  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** Time of all pauses so far. */
  get pausedMs(): number {
    return this.#seen?.pausedMs ?? 0;
  }

  /** Whether trials were set aside since the last call; to be called when nothing is left to run. */
  async takeRequeue(): Promise<boolean> {
    await this.#look();
    const requeues = this.#seen?.requeues ?? this.#requeues;
    const isNew = requeues > this.#requeues;
    this.#requeues = requeues;
    return isNew;
  }

  async #poll(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // A store that cannot be reached for a while changes nothing.
    await this.#look().catch(() => undefined);
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const { runId, store, emit, setBudget } = this.#options;
    const before = this.#seen;
    const now = await store.readControls(runId);
    if (!now) return;
    this.#seen = now;
    if (now.maxUsd !== null) setBudget?.(now.maxUsd);
    for (const message of this.#changes(before, now)) emit({ type: 'run-changed', isPaused: now.isPaused, message });
    this.#changed();
  }

  #changes(before: RunControls | undefined, now: RunControls): string[] {
    const { maxUsd = null } = this.#options;
    return [
      ...(now.isPaused === (before?.isPaused ?? false) ? [] : [pauseText(now.isPaused)]),
      ...(now.concurrency === (before?.concurrency ?? null)
        ? []
        : [`Trials at a time: ${now.concurrency ?? this.#options.concurrency}`]),
      ...(now.maxUsd === (before ? before.maxUsd : maxUsd) ? [] : [`Spending limit: $${now.maxUsd}`]),
    ];
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** For people who follow the run. */
function pauseText(isPaused: boolean): string {
  return isPaused ? 'Paused: running trials end, and none begins' : 'The run goes on';
}
