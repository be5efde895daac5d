/** What the outline of a regular expression says about the cost of running it. */
export interface PatternShape {
  /** Number of atoms once counted repetitions are written out. */
  size: number;
  /** Whether finding one short match may need a look at all of the text, so that finding many is quadratic. */
  rescans: boolean;
}

interface Part {
  size: number;
  unbounded: boolean;
}

/** Follows a pattern from left to right and measures its shape. */
export class PatternOutline {
  readonly #outer: Part[] = [];
  #group: Part = { size: 0, unbounded: false };
  #last: Part = { size: 0, unbounded: false };
  #alternation = false;
  #unboundedInsideRepeated = false;

  atom(): void {
    this.#last = { size: 1, unbounded: false };
    this.#group.size += 1;
  }

  alternative(): void {
    this.#alternation = true;
  }

  open(): void {
    this.#outer.push(this.#group);
    this.#group = { size: 1, unbounded: false };
  }

  close(): void {
    this.#last = this.#group;
    this.#group = this.#outer.pop() ?? { size: 0, unbounded: false };
    this.#group.size += this.#last.size;
    this.#group.unbounded ||= this.#last.unbounded;
  }

  repeat(count: number, unbounded: boolean): void {
    this.#unboundedInsideRepeated ||= this.#last.unbounded;
    this.#group.size += this.#last.size * (count - 1);
    this.#last = { size: this.#last.size * count, unbounded: this.#last.unbounded || unbounded };
    this.#group.unbounded ||= this.#last.unbounded;
  }

  shape(): PatternShape {
    const rescans = this.#unboundedInsideRepeated || (this.#alternation && this.#group.unbounded);
    return { size: this.#group.size, rescans };
  }
}
