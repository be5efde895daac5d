import { setFlagsFromString } from 'node:v8';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Turns Ctrl-C, a request to end and a closed terminal into an abort; a second one ends the process at once. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal: () => void;

  constructor(onInterrupt: () => void) {
    this.#onSignal = () => {
      if (this.signal.aborted) process.exit(130);
      this.#controller.abort();
      onInterrupt();
    };
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}

/** A run that ends before has no use for it. */
const longRunMs = 1_000;

/**
 * Lets the memory of a long run follow what is held instead of what was thrown away, for a little speed. By itself the
 * heap goes on growing with the number of trials although what is alive in it does not.
 */
export class HeapGrowthLimit implements Disposable {
  readonly #timer = setTimeout(() => setFlagsFromString('--heap-growing-percent=30'), longRunMs).unref();

  /** Back to where it was: compiled code is kept only for the flags that it was compiled with. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    setFlagsFromString('--heap-growing-percent=0');
  }
}
