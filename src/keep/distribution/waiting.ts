/** Lets somebody wait for a while, or until something changes. */
export class Waiting {
  #waiters = new Set<() => void>();

  /** Lets everybody go on. */
  wake(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const waiter of waiters) waiter();
  }

  /** Waits until something changes, but no longer than this. */
  forMs(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(ms, 0));
      this.#waiters.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Waits for a while, or until the signal is given. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
