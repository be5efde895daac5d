/** Lets operations happen at the same time, except those that look at everything: these wait until all others are done. */
export class Gate {
  #under = new Set();
  #alone = Promise.resolve();

  async together(work) {
    for (let before; before !== this.#alone; ) {
      before = this.#alone;
      await before;
    }
    const ended = work();
    const settled = ended.catch(() => undefined).then(() => this.#under.delete(settled));
    this.#under.add(settled);
    return ended;
  }

  alone(work) {
    const ended = this.#alone.then(async () => {
      await Promise.all(this.#under);
      return work();
    });
    this.#alone = ended.catch(() => undefined);
    return ended;
  }
}
