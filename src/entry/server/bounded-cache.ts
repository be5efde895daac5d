import { untilAborted } from '../../shared/async.ts';

interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly ending: AbortController;
  weight: number;
  /** Callers that wait for the value. */
  waiting: number;
  isSettled: boolean;
}

/** A least-recently-used cache whose values together weigh no more than a limit. */
export class BoundedCache<Value> {
  readonly #kept = new Map<string, Entry<Value>>();
  readonly #mostWeight: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;

  /** By default each value weighs 1. */
  constructor(mostWeight: number, weigh: (value: Value) => number = () => 1) {
    this.#mostWeight = mostWeight;
    this.#weigh = weigh;
  }

  /**
   * The value of the key; computed where it is not cached, and only once for concurrent callers. The computation is
   * aborted when all who wait for it have gone; who gives no signal waits to the end.
   */
  async get(key: string, make: (signal: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    const entry = this.#kept.get(key) ?? this.#begin(key, make);
    // The most recently used is the last.
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    entry.waiting++;
    try {
      return await (signal ? untilAborted(entry.value, signal) : entry.value);
    } finally {
      entry.waiting--;
      if (entry.waiting === 0 && signal?.aborted && !entry.isSettled) this.#abandon(key, entry);
    }
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<Value>): Entry<Value> {
    const ending = new AbortController();
    const entry: Entry<Value> = { value: make(ending.signal), ending, weight: 0, waiting: 0, isSettled: false };
    entry.value.then(
      (value) => {
        entry.isSettled = true;
        if (this.#kept.get(key) !== entry) return;
        entry.weight = this.#weigh(value);
        this.#weight += entry.weight;
        this.#shrink();
      },
      () => {
        entry.isSettled = true;
        if (this.#kept.get(key) === entry) this.#kept.delete(key);
      },
    );
    return entry;
  }

  #abandon(key: string, entry: Entry<Value>): void {
    if (this.#kept.get(key) === entry) this.#kept.delete(key);
    entry.ending.abort();
  }

  /** The value of the key, if it is cached. */
  async find(key: string): Promise<Value | undefined> {
    return this.#kept.get(key)?.value;
  }

  /** Whether the value of the key is cached, and computed. */
  has(key: string): boolean {
    return this.#kept.get(key)?.isSettled === true;
  }

  /** Replaces the value of the key. */
  async set(key: string, value: Value): Promise<void> {
    this.#weight -= this.#kept.get(key)?.weight ?? 0;
    this.#kept.delete(key);
    await this.get(key, async () => value);
  }

  #shrink(): void {
    for (const [key, { weight }] of this.#kept) {
      if (this.#weight <= this.#mostWeight) return;
      this.#kept.delete(key);
      this.#weight -= weight;
    }
  }
}
