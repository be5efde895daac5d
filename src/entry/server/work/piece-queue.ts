/** Pieces on their way from a process to who takes them: at most one waits. */
export class PieceQueue {
  #waiting: { readonly piece: Uint8Array; readonly more: () => void } | undefined;
  #end: Promise<unknown> | undefined;
  #wake: (() => void) | undefined;

  add(piece: Uint8Array, more: () => void): void {
    this.#waiting = { piece, more };
    this.#wake?.();
  }

  /** No piece comes after this has settled; what it rejects with is thrown to who takes them. */
  endWith(done: Promise<unknown>): void {
    const end = (): void => {
      this.#end = done;
      this.#wake?.();
    };
    done.then(end, end);
  }

  async *take(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const next = this.#waiting;
      this.#waiting = undefined;
      if (next) {
        // The next piece is made while this one is sent.
        next.more();
        yield next.piece;
      } else if (this.#end) {
        await this.#end;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
