const windowMs = 30_000;
const leastMs = 1_000;
const mostSamples = 240;

/** How fast trials finish of late; older times say little, since trials differ. */
export class RunRate {
  readonly #samples: { readonly atMs: number; readonly finished: number }[] = [];

  add(atMs: number, finished: number): void {
    this.#samples.push({ atMs, finished });
    const isStale = (): boolean => {
      const [first, second] = this.#samples;
      return first !== undefined && second !== undefined && second.atMs <= atMs - windowMs;
    };
    while (isStale() || this.#samples.length > mostSamples) this.#samples.shift();
  }

  /** Null as long as nothing can be told. */
  perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.atMs - first.atMs < leastMs || last.finished <= first.finished) return null;
    return ((last.finished - first.finished) * 1_000) / (last.atMs - first.atMs);
  }
}
