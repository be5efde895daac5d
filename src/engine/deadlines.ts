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
