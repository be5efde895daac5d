import { randomUUID } from 'node:crypto';
import { isServedBy, type Lease, lacking, leaseName, type WorkerFacts } from './distribution.ts';
import { giveBackLeases, giveBackUses, leaseJobs, takeUses } from './leases.ts';
import type { WorkDatabase } from './work-database.ts';
import { type OpenGroup, openGroups } from './work-runs.ts';

/** Decides from which group a worker takes next: higher priority first, and runs of equal priority in turn. */
export class RoundRobin {
  readonly #facts: WorkerFacts;
  readonly #servedAt = new Map<string, number>();
  #servings = 0;

  constructor(facts: WorkerFacts) {
    this.#facts = facts;
  }

  /** The groups that this worker can serve, in the order in which it should try them. */
  inTurn(groups: readonly OpenGroup[]): OpenGroup[] {
    const served = (id: string): number => this.#servedAt.get(id) ?? 0;
    return groups
      .filter((group) => isServedBy(group.needs, this.#facts))
      .sort(
        (one, other) =>
          other.priority - one.priority ||
          served(one.runId) - served(other.runId) ||
          served(one.groupId) - served(other.groupId),
      );
  }

  /** Something was taken from a group. */
  served({ runId, groupId }: OpenGroup): void {
    this.#servings++;
    this.#servedAt.set(runId, this.#servings);
    this.#servedAt.set(groupId, this.#servings);
  }

  /** Forgets runs that are over. */
  keepOnly(groups: readonly OpenGroup[]): void {
    const current = new Set(groups.flatMap(({ runId, groupId }) => [runId, groupId]));
    for (const id of this.#servedAt.keys()) if (!current.has(id)) this.#servedAt.delete(id);
  }
}

/**
 * Groups are looked for again after this time, with each heartbeat, and when those that are known have nothing more. It
 * is longer than the time between two heartbeats usually is, so a worker with long trials need not request each one.
 */
const staleAfterMs = 15_000;
/** The same when something waits only for others to give back what is limited. */
const heldUpForMs = 1_000;
const blockedForMs = 15_000;

/** Where a worker gets its trials from: the groups that it can serve, with the uses of what is limited. */
export class LeaseSource {
  readonly #work: WorkDatabase;
  readonly #facts: WorkerFacts;
  readonly #leaseMs: number;
  readonly #turns: RoundRobin;
  readonly #blocked = new Map<string, { readonly reason: string; readonly untilMs: number }>();
  readonly #uses = new Map<string, string>();
  #groups: OpenGroup[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #isHeldUp = false;

  constructor(work: WorkDatabase, facts: WorkerFacts, leaseMs: number) {
    this.#work = work;
    this.#facts = facts;
    this.#leaseMs = leaseMs;
    this.#turns = new RoundRobin(facts);
  }

  /** The runs that go on, as far as was last seen. */
  get openRuns(): ReadonlySet<string> {
    return new Set(this.#groups.map(({ runId }) => runId));
  }

  /** Whether a run goes on that this worker can take part in. */
  get isNeeded(): boolean {
    return this.#groups.some(({ needs }) => isServedBy(needs, this.#facts));
  }

  /** Names under which limited things are used. */
  get holders(): string[] {
    return [...this.#uses.values()];
  }

  /** Looks which groups there are. */
  async refresh(): Promise<void> {
    this.#groups = await openGroups(this.#work.db);
    this.#readAt = performance.now();
    this.#isHeldUp = false;
    this.#turns.keepOnly(this.#groups);
  }

  /** Takes nothing from a run for a while, because it cannot be run here. */
  block(runId: string, reason: string): void {
    this.#blocked.set(runId, { reason, untilMs: performance.now() + blockedForMs });
  }

  /** Takes the next trials, `spare` more than `wanted` where they are not limited. */
  async take(wanted: number, spare: number): Promise<Lease[]> {
    const readMsAgo = performance.now() - this.#readAt;
    const isStale = readMsAgo > (this.#isHeldUp ? heldUpForMs : staleAfterMs);
    if (isStale || this.#candidates().length === 0) await this.refresh();
    for (const group of this.#candidates()) {
      const isLimited = Object.keys(group.limits).length > 0;
      const leases = isLimited ? await this.#takeLimited(group, wanted) : await this.#lease(group, wanted + spare);
      if (leases.length === 0) continue;
      this.#turns.served(group);
      return leases;
    }
    return [];
  }

  /** Taken leases that are done or given up. */
  async release(leases: readonly Lease[]): Promise<void> {
    const holders = leases.flatMap((lease) => this.#uses.get(leaseName(lease)) ?? []);
    for (const lease of leases) this.#uses.delete(leaseName(lease));
    await giveBackUses(this.#work.db, holders);
  }

  /** Lets others have what was taken. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    await giveBackLeases(this.#work.db, leases);
    await this.release(leases);
  }

  /** Why this worker leaves waiting what waits, in words. */
  notes(): string[] {
    const now = performance.now();
    const unserved = this.#groups
      .filter(({ hasWaiting }) => hasWaiting)
      .flatMap(({ runId, needs }) => {
        const missing = lacking(needs, this.#facts);
        return missing.length === 0 ? [] : [`${runId} needs ${missing.join(', ')}`];
      });
    const blocked = [...this.#blocked].flatMap(([runId, { reason, untilMs }]) =>
      untilMs > now && this.openRuns.has(runId) ? [`${runId} cannot be run here: ${reason}`] : [],
    );
    return [...new Set([...unserved, ...blocked])];
  }

  #candidates(): OpenGroup[] {
    const now = performance.now();
    return this.#turns.inTurn(
      this.#groups.filter(
        ({ hasWaiting, runId }) => hasWaiting && (this.#blocked.get(runId)?.untilMs ?? Number.NEGATIVE_INFINITY) <= now,
      ),
    );
  }

  async #lease(group: OpenGroup, limit: number): Promise<Lease[]> {
    const options = { limit, leaseMs: this.#leaseMs, workerId: this.#facts.workerId };
    const leases = await leaseJobs(this.#work.db, group, options);
    if (leases.length < limit) this.#isEmpty(group);
    return leases;
  }

  async #takeLimited(group: OpenGroup, wanted: number): Promise<Lease[]> {
    const names = Array.from({ length: wanted }, () => `${this.#facts.workerId}/${randomUUID()}`);
    const holders = await takeUses(this.#work.db, group.limits, names, this.#leaseMs);
    if (holders.length === 0) {
      this.#isHeldUp = true;
      this.#isEmpty(group);
      return [];
    }
    const leases = await this.#lease(group, holders.length);
    leases.forEach((lease, index) => {
      this.#uses.set(leaseName(lease), holders[index] ?? '');
    });
    await giveBackUses(this.#work.db, holders.slice(leases.length));
    return leases;
  }

  /** Until groups are looked for again. */
  #isEmpty(group: OpenGroup): void {
    this.#groups = this.#groups.map((other) => (other === group ? { ...group, hasWaiting: false } : other));
  }
}

/** A wait that ends after a while, or when it is woken. */
export class WakeableWait {
  #waiters = new Set<() => void>();

  /** Ends every wait. */
  wake(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const waiter of waiters) waiter();
  }

  /** Waits until something changes, but no longer than this. */
  forMs(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(ms, 0));
      this.#waiters.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
