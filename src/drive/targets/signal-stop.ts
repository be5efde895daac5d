import type { StopRequest } from './target.ts';

/** An abort signal as a stop request; disposing of it removes its listeners. */
export class SignalStop implements StopRequest, Disposable {
  readonly signal: AbortSignal;
  readonly #listeners: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  get isStopped(): boolean {
    return this.signal.aborted;
  }

  onStop(listener: () => void): void {
    if (this.signal.aborted) {
      listener();
      return;
    }
    this.#listeners.push(listener);
    this.signal.addEventListener('abort', listener, { once: true });
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) this.signal.removeEventListener('abort', listener);
  }
}
