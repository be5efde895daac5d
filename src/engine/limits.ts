import { AssayError, asAssayError } from '../domain/errors.ts';
import { type Fault, faultOf } from '../domain/outcome.ts';
import type { StopRequest } from '../drive/targets/target.ts';
import { formatDuration } from '../shared/format.ts';

/** Deadlines that lie this close together share a timer. */
const bucketMs = 10;

/** Calls back when time is up. With thousands of trials a second, a timer for each would cost more than the trial. */
export class Deadlines {
  readonly #buckets = new Map<number, Set<() => void>>();

  /** Calls `expire` once the time is up, at most a hundredth of a second later; gives what takes it back. */
  set(timeoutMs: number, expire: () => void): () => void {
    const bucket = Math.ceil((performance.now() + timeoutMs) / bucketMs);
    const waiting = this.#buckets.get(bucket) ?? this.#open(bucket);
    waiting.add(expire);
    return () => waiting.delete(expire);
  }

  #open(bucket: number): Set<() => void> {
    const waiting = new Set<() => void>();
    this.#buckets.set(bucket, waiting);
    const timer = setTimeout(
      () => {
        this.#buckets.delete(bucket);
        for (const expire of waiting) expire();
      },
      // Timers count whole milliseconds and may be one early.
      Math.ceil(bucket * bucketMs - performance.now()) + 1,
    );
    // A trial that is waited for keeps the process alive by itself.
    timer.unref();
    return waiting;
  }
}

/** How long a target may take to let go after its time is up, before the trial ends without it. */
const letGoMs = 3_000;

/** Timers and the clock of a trial may differ by this much. */
const heldToleranceMs = 20;

const timeIsUp = Symbol('time is up');
const runInterrupted = Symbol('run interrupted');

/** Ends attempts when their time is up or when the whole run is interrupted. */
export class AttemptLimits {
  readonly #signal: AbortSignal;
  readonly #attempts = new Set<AttemptStop>();
  readonly #deadlines = new Deadlines();

  /** Listens to the run's signal once, however many attempts there will be. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      for (const attempt of this.#attempts) attempt.stop(runInterrupted);
    });
  }

  /**
   * Runs an attempt within its time, where it has one; gives the fault that ended it, or undefined when it ended by
   * itself. Time counts on the clock of the trial, which stands still while it waits for a rate limit.
   */
  within(
    timeoutMs: number | undefined,
    attempt: (stop: StopRequest) => Promise<void>,
    clock?: { readonly limitedMs: number },
  ): Promise<Fault | undefined | 'interrupted'> {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return resolve('interrupted');
      const stop = new AttemptStop(() => end(endReason(stop, timeoutMs)));
      let takeBack = (): unknown => undefined;
      const expireAfter = (ms: number): void => {
        takeBack = this.#deadlines.set(ms, () => {
          const leftMs = timeoutMs === undefined || !clock ? 0 : timeoutMs - clock.limitedMs;
          if (leftMs > heldToleranceMs) expireAfter(leftMs);
          else stop.stop(timeIsUp);
        });
      };
      if (timeoutMs !== undefined) expireAfter(timeoutMs);
      const end = (reason: Fault | undefined | 'interrupted'): void => {
        takeBack();
        stop.settle();
        this.#attempts.delete(stop);
        resolve(reason);
      };
      this.#attempts.add(stop);
      attempt(stop).then(
        () => end(endReason(stop, timeoutMs)),
        (error: unknown) => end(endReason(stop, timeoutMs, error) ?? faultOf(asAssayError(error))),
      );
    });
  }
}

/** Stops one attempt; when it does not let go in time it is abandoned. */
class AttemptStop implements StopRequest {
  reason: symbol | undefined;
  readonly #abandon: () => void;
  #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;
  #giveUp: NodeJS.Timeout | undefined;

  /** `abandon` is called when the attempt does not let go. */
  constructor(abandon: () => void) {
    this.#abandon = abandon;
  }

  get isStopped(): boolean {
    return this.reason !== undefined;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onStop(() => controller.abort());
    }
    return this.#controller.signal;
  }

  onStop(listener: () => void): void {
    if (this.isStopped) listener();
    else this.#listeners.push(listener);
  }

  stop(reason: symbol): void {
    if (this.isStopped) return;
    this.reason = reason;
    this.#giveUp = setTimeout(this.#abandon, letGoMs);
    for (const listener of this.#listeners) listener();
  }

  settle(): void {
    clearTimeout(this.#giveUp);
  }
}

/** Once the signal was given, what the target says afterwards is a consequence of it, unless it never got a turn. */
function endReason(
  { reason }: AttemptStop,
  timeoutMs: number | undefined,
  error?: unknown,
): Fault | undefined | 'interrupted' {
  if (reason === runInterrupted) return 'interrupted';
  const hadNoTurn = error instanceof AssayError && isNotTheTargets(error);
  if (reason !== timeIsUp || hadNoTurn || timeoutMs === undefined) return undefined;
  // A stopped call says what it was waiting for.
  const waited = error instanceof AssayError && error.code === 'INTERRUPTED' ? ` ${error.message}` : '';
  return faultOf(new AssayError('TARGET_TIMEOUT', `No answer within ${formatDuration(timeoutMs)}.${waited}`));
}

/** A target is not at fault for time that ran out before its turn came, while a model was waited for, or by a fault. */
function isNotTheTargets({ code }: AssayError): boolean {
  return code === 'TARGET_STOPPED' || code === 'MODEL_TIMEOUT' || code === 'FAULT_ENDED_TRIAL';
}
