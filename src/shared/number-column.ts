/** Whole numbers by place, 0 where none was set. Memory is only used up to the last place that was set. */
export class NumberColumn {
  #numbers: Int32Array;
  #length: number;

  constructor(numbers: Int32Array = new Int32Array(8), length = 0) {
    this.#numbers = numbers;
    this.#length = length;
  }

  /** With room for so many from the beginning: a column that grows leaves as much garbage as it has numbers. */
  static ofSize(size: number): NumberColumn {
    return new NumberColumn(new Int32Array(size));
  }

  /** As another process can take it. */
  pack(): Int32Array {
    return this.#numbers.slice(0, this.#length);
  }

  static unpacked(numbers: Int32Array): NumberColumn {
    return new NumberColumn(numbers, numbers.length);
  }

  at(place: number): number {
    return this.#numbers[place] ?? 0;
  }

  set(place: number, value: number): void {
    this.#numbers = withRoom(this.#numbers, place);
    this.#numbers[place] = value;
    if (place >= this.#length) this.#length = place + 1;
  }

  /** Nothing is written for 0, so a column without counts takes no memory. */
  add(place: number, count: number): void {
    if (count !== 0) this.set(place, this.at(place) + count);
  }
}

/** The same numbers with room for one at this place. */
export function withRoom<Numbers extends Int32Array | Float64Array | Uint8Array>(
  numbers: Numbers,
  place: number,
): Numbers {
  if (place < numbers.length) return numbers;
  const larger = new (numbers.constructor as new (length: number) => Numbers)(Math.max(place + 1, numbers.length * 2));
  larger.set(numbers);
  return larger;
}

/** Any numbers in the order in which they come. Small whole ones take a byte each, until another kind comes. */
export class ValueList {
  #values: Uint8Array | Float64Array;
  #length: number;

  constructor(values: Uint8Array | Float64Array = new Uint8Array(8), length = 0) {
    this.#values = values;
    this.#length = length;
  }

  /** With room for so many from the beginning. */
  static ofSize(size: number): ValueList {
    return new ValueList(new Uint8Array(size));
  }

  get length(): number {
    return this.#length;
  }

  add(value: number): void {
    const isByte = value >= 0 && value <= 255 && Math.floor(value) === value && !Object.is(value, -0);
    if (!isByte && this.#values instanceof Uint8Array) this.#values = widened(this.#values, this.#length);
    this.#values = withRoom(this.#values, this.#length);
    this.#values[this.#length++] = value;
  }

  at(place: number): number {
    return this.#values[place] ?? Number.NaN;
  }

  pack(): Uint8Array | Float64Array {
    return this.#values.slice(0, this.#length);
  }

  static unpacked(values: Uint8Array | Float64Array): ValueList {
    return new ValueList(values, values.length);
  }
}

/** The same numbers with eight bytes each, of which only so many were set. */
function widened(bytes: Uint8Array, length: number): Float64Array {
  const wide = new Float64Array(bytes.length);
  wide.set(bytes.subarray(0, length));
  return wide;
}
