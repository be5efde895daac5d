/** Which events have rows: all of them, or those that a filter lets through, in the order of the trace. */
export class TimelineRows {
  readonly count: number;
  readonly #indices: readonly number[] | undefined;

  constructor(total: number, indices?: readonly number[]) {
    this.#indices = indices;
    this.count = indices?.length ?? total;
  }

  /** The event of a row. */
  eventAt(row: number): number {
    return this.#indices ? (this.#indices[row] ?? -1) : row;
  }

  /** The row of an event; undefined where it has none. */
  rowOf(index: number): number | undefined {
    if (!this.#indices) return index >= 0 && index < this.count ? index : undefined;
    const row = this.firstRowFrom(index);
    return this.#indices[row] === index ? row : undefined;
  }

  /** The first row whose event is this one or comes after it. */
  firstRowFrom(index: number): number {
    if (!this.#indices) return index;
    let [low, high] = [0, this.#indices.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#indices[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The next row in a direction that is not folded into another; the same row where there is none. */
  neighbour(row: number, direction: 1 | -1, isFolded: (index: number) => boolean): number {
    for (let next = row + direction; next >= 0 && next < this.count; next += direction)
      if (!isFolded(this.eventAt(next))) return next;
    return row;
  }
}
