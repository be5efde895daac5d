const closed = -1;

/**
 * Decides between two threads whether a call begins: the worker passes the gate with each call, in order, and the
 * other side may close it. After that it is certain which calls have begun, and that no other will.
 */
export class TurnGate {
  readonly memory: SharedArrayBuffer;
  readonly #lastBegun: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#lastBegun = new Int32Array(memory);
  }

  /** Sequence of the call that began last, 0 before the first. */
  get lastBegun(): number {
    return Atomics.load(this.#lastBegun, 0);
  }

  /** Tells whether the call may begin. */
  pass(sequence: number): boolean {
    const before = this.lastBegun;
    return before !== closed && Atomics.compareExchange(this.#lastBegun, 0, before, sequence) === before;
  }

  /** Lets no further call begin; gives the sequence of the one that began last. */
  close(): number {
    return Atomics.exchange(this.#lastBegun, 0, closed);
  }
}
