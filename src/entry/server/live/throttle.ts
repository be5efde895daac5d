/** Calls a function soon after it is asked for, but never more often than once per interval. */
export class Throttle implements Disposable {
  readonly #call: () => void;
  readonly #intervalMs: number;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, call: () => void) {
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  request(): void {
    if (this.#timer) return;
    const waitMs = Math.max(this.#calledAtMs + this.#intervalMs - Date.now(), 0);
    this.#timer = setTimeout(() => this.flush(), waitMs);
    this.#timer.unref();
  }

  /** Calls it now. */
  flush(): void {
    this[Symbol.dispose]();
    this.#calledAtMs = Date.now();
    this.#call();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
