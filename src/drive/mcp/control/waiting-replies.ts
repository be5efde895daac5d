import type { RequestId } from '../wire/wire.ts';

/** Replies that are given later, and never while the request is still being sent. */
export class WaitingReplies {
  readonly #cancels = new Map<unknown, () => void>();

  readonly #settling: (() => void)[] = [];

  add(id: RequestId, delayMs: number, give: () => void): void {
    const act = (): void => {
      this.#cancels.delete(id);
      give();
      this.#settle();
    };
    // A timer would take a millisecond where no delay is wanted.
    const handle = delayMs > 0 ? setTimeout(act, delayMs) : setImmediate(act);
    this.#cancels.set(id, () =>
      delayMs > 0 ? clearTimeout(handle as NodeJS.Timeout) : clearImmediate(handle as NodeJS.Immediate),
    );
  }

  /** Waits for an answer that a model gives; `stop` is aborted when it is cancelled. */
  hold<Answer>(id: RequestId, stop: AbortController, answer: Promise<Answer>, give: (answer: Answer) => void): void {
    const cancel = (): void => stop.abort();
    this.#cancels.set(id, cancel);
    void answer.then((given) => {
      if (this.#cancels.get(id) !== cancel) return;
      this.#cancels.delete(id);
      give(given);
      this.#settle();
    });
  }

  /** True for a reply that waited. */
  cancel(id: unknown): boolean {
    this.#cancels.get(id)?.();
    return this.#cancels.delete(id);
  }

  /** Resolves when no reply waits any more. */
  settled(): Promise<void> {
    if (this.#cancels.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#settling.push(resolve));
  }

  #settle(): void {
    if (this.#cancels.size === 0) for (const resolve of this.#settling.splice(0)) resolve();
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
