/** Turns Ctrl-C and a request to end into an abort; a second one ends the process at once. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal: () => void;

  constructor(tell: () => void) {
    this.#onSignal = () => {
      if (this.signal.aborted) process.exit(130);
      tell();
      this.#controller.abort();
    };
    process.on('SIGINT', this.#onSignal);
    process.on('SIGTERM', this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#onSignal);
    process.off('SIGTERM', this.#onSignal);
  }
}
