import type { RequestId } from '../wire/wire.ts';

/** Replies that are given later, and never while the request is still being sent. */
export class WaitingReplies {
  readonly #cancels = new Map<unknown, () => void>();

  add(id: RequestId, delayMs: number, give: () => void): void {
    const act = (): void => {
      this.#cancels.delete(id);
      give();
    };
    // A timer would take a millisecond where no delay is wanted.
    const handle = delayMs > 0 ? setTimeout(act, delayMs) : setImmediate(act);
    this.#cancels.set(id, () =>
      delayMs > 0 ? clearTimeout(handle as NodeJS.Timeout) : clearImmediate(handle as NodeJS.Immediate),
    );
  }

  /** True for a reply that waited. */
  cancel(id: unknown): boolean {
    this.#cancels.get(id)?.();
    return this.#cancels.delete(id);
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
