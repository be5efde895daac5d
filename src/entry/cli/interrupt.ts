const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Turns Ctrl-C, a request to end and a closed terminal into an abort; a second one ends the process at once. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal: () => void;

  constructor(tell: () => void) {
    this.#onSignal = () => {
      if (this.signal.aborted) process.exit(130);
      this.#controller.abort();
      tell();
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
