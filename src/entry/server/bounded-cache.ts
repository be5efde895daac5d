import { isLiveStatus, type RunHeader } from '../../domain/run.ts';

/** A least-recently-used cache whose values together weigh no more than a limit. */
export class BoundedCache<Value> {
  readonly #kept = new Map<string, { readonly value: Promise<Value>; weight: number }>();
  readonly #mostWeight: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;

  /** By default each value weighs 1. */
  constructor(mostWeight: number, weigh: (value: Value) => number = () => 1) {
    this.#mostWeight = mostWeight;
    this.#weigh = weigh;
  }

  /** The value of the key; computed where it is not cached, and only once for concurrent callers. */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    const cached = this.#kept.get(key);
    if (cached) {
      this.#kept.delete(key);
      this.#kept.set(key, cached);
      return cached.value;
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

  /** The value of the key, if it is cached. */
  async find(key: string): Promise<Value | undefined> {
    return this.#kept.get(key)?.value;
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

/** The cache key of an ended run, which changes when the run is resumed; undefined while it is running. */
export function endedKey({ runId, status, finishedAt }: RunHeader): string | undefined {
  return isLiveStatus(status) || finishedAt === null ? undefined : `${runId}@${finishedAt}`;
}
