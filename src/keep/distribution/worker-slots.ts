import { type Lease, leaseName } from './distribution.ts';

/** Trials taken ahead must start within this time. */
const aheadMs = 250;
const mostAhead = 64;

/**
 * The slots of a worker: trials that it has taken and not started, those that it runs, and those whose results
 * are not stored yet. A trial on its last attempt is alone until its result is stored: if the worker dies, no
 * other trial can be the cause.
 */
export class WorkerSlots {
  readonly #places: number;
  readonly #running = new Map<string, { readonly lease: Lease; readonly beganAt: number }>();
  readonly #unstored = new Map<string, Lease>();
  #waiting: Lease[] = [];
  /** Name of the lease on its last attempt that runs, or whose result is not stored yet. */
  #lastChance: string | undefined;
  #meanMs: number | undefined;

  constructor(places: number) {
    this.#places = places;
  }

  get running(): readonly { readonly lease: Lease; readonly beganAt: number }[] {
    return [...this.#running.values()];
  }

  get waiting(): readonly Lease[] {
    return this.#waiting;
  }

  /** Trials that are over and whose results are not stored. */
  get unstored(): readonly Lease[] {
    return [...this.#unstored.values()];
  }

  get unstoredCount(): number {
    return this.#unstored.size;
  }

  /** True when nothing waits or runs. */
  get isEmpty(): boolean {
    return this.#running.size === 0 && this.#waiting.length === 0;
  }

  /** How many more trials to take: for free places, and ahead of them. */
  room(): { readonly wanted: number; readonly spare: number } {
    if (this.#lastChance !== undefined || this.#waiting.some(isLastChance)) return { wanted: 0, spare: 0 };
    const wanted = Math.max(this.#places - this.#running.size - this.#waiting.length, 0);
    const ahead = this.#ahead();
    const lacking = ahead - Math.max(this.#waiting.length - (this.#places - this.#running.size), 0);
    // Taking costs the same for one and for many.
    return { wanted, spare: wanted > 0 || lacking > ahead / 2 ? Math.max(lacking, 0) : 0 };
  }

  /** Lays trials on the bench; gives those that must not lie there beside a trial on its last attempt. */
  add(leases: readonly Lease[]): Lease[] {
    const all = [...this.#waiting, ...leases];
    const lastChance = all.find(isLastChance);
    this.#waiting = lastChance ? [lastChance] : all;
    return lastChance ? all.filter((lease) => lease !== lastChance) : [];
  }

  /** The next trial to begin now, if one may. */
  begin(): Lease | undefined {
    const next = this.#waiting[0];
    if (!next || this.#running.size >= this.#places) return undefined;
    if (this.#lastChance !== undefined) return undefined;
    if (isLastChance(next)) {
      if (this.#running.size + this.#unstored.size > 0) return undefined;
      this.#lastChance = leaseName(next);
    }
    this.#waiting.shift();
    this.#running.set(leaseName(next), { lease: next, beganAt: performance.now() });
    return next;
  }

  /** A trial has a result that is to be stored. */
  finish(lease: Lease): void {
    const entry = this.#running.get(leaseName(lease));
    this.#running.delete(leaseName(lease));
    this.#unstored.set(leaseName(lease), lease);
    if (!entry) return;
    const tookMs = performance.now() - entry.beganAt;
    this.#meanMs = this.#meanMs === undefined ? tookMs : this.#meanMs * 0.9 + tookMs * 0.1;
  }

  /** A trial is stored, or given up. */
  remove(lease: Lease): void {
    const name = leaseName(lease);
    // One that was begun does not wait.
    if (!this.#running.delete(name) && !this.#unstored.delete(name))
      this.#waiting = this.#waiting.filter((other) => other !== lease);
    if (this.#lastChance === name) this.#lastChance = undefined;
  }

  /** Takes everything off that was not begun. */
  clear(): Lease[] {
    const cleared = this.#waiting;
    this.#waiting = [];
    return cleared;
  }

  /** Short trials are taken ahead, because asking for each would take longer than running it. */
  #ahead(): number {
    if (this.#meanMs === undefined) return 0;
    const ahead = Math.floor((this.#places * aheadMs) / Math.max(this.#meanMs, 1)) - this.#places;
    return Math.min(Math.max(ahead, 0), mostAhead);
  }
}

function isLastChance({ isLastAttempt, attempt }: Lease): boolean {
  return isLastAttempt && attempt > 1;
}
