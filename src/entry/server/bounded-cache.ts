/** Keeps what was asked for last, as long as all of it together weighs no more than a limit. */
export class BoundedCache<Value> {
  readonly #kept = new Map<string, { readonly value: Promise<Value>; weight: number }>();
  readonly #mostWeight: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;

  /** Each value weighs 1 unless told otherwise. */
  constructor(mostWeight: number, weigh: (value: Value) => number = () => 1) {
    this.#mostWeight = mostWeight;
    this.#weigh = weigh;
  }

  /** The value of the key; made where it is not kept, and once for all who ask meanwhile. */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.value;
    }
    const entry = { value: make(), weight: 0 };
    this.#kept.set(key, entry);
    try {
      const value = await entry.value;
      if (this.#kept.get(key) !== entry) return value;
      entry.weight = this.#weigh(value);
      this.#weight += entry.weight;
      this.#shrink();
      return value;
    } catch (error) {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
      throw error;
    }
  }

  #shrink(): void {
    for (const [key, { weight }] of this.#kept) {
      if (this.#weight <= this.#mostWeight) return;
      this.#kept.delete(key);
      this.#weight -= weight;
    }
  }
}
