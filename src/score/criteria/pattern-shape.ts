/** What the outline of a regular expression says about the cost of running it. */
export interface PatternShape {
  /** Number of atoms once counted repetitions are written out. */
  size: number;
  /**
   * Whether one short match may need a look at all of the text, so that finding many is quadratic.
   * It takes a choice (an alternative or a repeated group) with a part like `.*y`, which runs on in hope of its end.
   */
  rescans: boolean;
}

interface Part {
  size: number;
  /** An unbounded repetition stands in the current branch. */
  unbounded: boolean;
  /** Something follows an unbounded repetition in one branch. */
  waits: boolean;
}

/** Follows a pattern from left to right and measures its shape. */
export class PatternOutline {
  readonly #outer: Part[] = [];
  #group: Part = createPart(0);
  #last: Part = createPart(0);
  #alternation = false;
  #waitsInsideRepeated = false;

  atom(): void {
    this.#last = createPart(1);
    this.#group.size += 1;
    this.#group.waits ||= this.#group.unbounded;
  }

  alternative(): void {
    this.#alternation = true;
    this.#group.unbounded = false;
  }

  open(): void {
    this.#group.waits ||= this.#group.unbounded;
    this.#outer.push(this.#group);
    this.#group = createPart(1);
  }

  close(): void {
    this.#last = this.#group;
    this.#group = this.#outer.pop() ?? createPart(0);
    this.#group.size += this.#last.size;
    this.#group.unbounded ||= this.#last.unbounded;
    this.#group.waits ||= this.#last.waits;
  }

  repeat(count: number, unbounded: boolean): void {
    this.#waitsInsideRepeated ||= this.#last.waits;
    this.#group.size += this.#last.size * (count - 1);
    this.#group.unbounded ||= unbounded;
    this.#last = { ...this.#last, size: this.#last.size * count };
  }

  shape(): PatternShape {
    const rescans = this.#waitsInsideRepeated || (this.#alternation && this.#group.waits);
    return { size: this.#group.size, rescans };
  }
}

function createPart(size: number): Part {
  return { size, unbounded: false, waits: false };
}
