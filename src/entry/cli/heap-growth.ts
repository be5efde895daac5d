import { setFlagsFromString } from 'node:v8';

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
