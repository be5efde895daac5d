/** Lets work that shares something wait for its turn, in the order in which it comes. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Work without a name shares nothing and begins at once. */
  run<Result>(shared: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (shared === undefined) return work();
    const before = this.#last.get(shared) ?? Promise.resolve();
    const turn = before.then(work);
    this.#last.set(
      shared,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
