import { asAssayError } from '../../domain/errors.ts';
import { counted } from '../../shared/format.ts';
import type { FinishedTrial } from '../store/store.ts';
import type { Lease, ResultWriter, TrialWorkerParts } from './distribution.ts';
import { Heartbeat } from './heartbeat.ts';
import { LeaseSource, WakeableWait } from './lease-source.ts';
import { type LeasedResult, storeUnderLease } from './leases.ts';
import { retryWhileDatabaseIsDown } from './work-database.ts';
import { WorkerSlots } from './worker-slots.ts';
import { removeWorker } from './workers.ts';

const shortestIdleMs = 100;
const longestIdleMs = 1_500;
/** Results that wait for their commit before no more trials are begun. */
const unstoredLimit = 512;

/** Takes trials, runs them and stores what became of them, until it is stopped. */
export class TrialWorker {
  readonly #parts: TrialWorkerParts;
  readonly #supply: LeaseSource;
  readonly #bench: WorkerSlots;
  readonly #writer: ResultWriter;
  readonly #heartbeat: Heartbeat;
  readonly #leaseOf = new WeakMap<FinishedTrial, Lease>();
  readonly #change = new WakeableWait();
  readonly #ended = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #idleMs = shortestIdleMs;
  #isDraining = false;

  constructor(parts: TrialWorkerParts) {
    this.#parts = parts;
    this.#supply = new LeaseSource(parts.work, parts.facts, parts.leaseMs);
    this.#bench = new WorkerSlots(parts.facts.concurrency);
    this.#heartbeat = new Heartbeat(parts, {
      bench: this.#bench,
      supply: this.#supply,
      state: () => (this.#isDraining ? 'stopping' : 'working'),
    });
    this.#writer = parts.writeWith((trials) => this.#store(trials));
  }

  /** Resolves when the worker has ended and holds no lease. */
  async run(): Promise<void> {
    const { signal } = this.#parts;
    const onStop = () => this.#change.wake();
    signal.addEventListener('abort', onStop);
    await this.#patiently(() => this.#heartbeat.report());
    const beating = this.#heartbeat.beat(this.#ended.signal).catch((error) => this.#fail(error));
    try {
      while (!signal.aborted && !this.#failure) if (await this.#takeAndBegin()) break;
      await this.#drain();
    } finally {
      signal.removeEventListener('abort', onStop);
      this.#ended.abort();
      this.#change.wake();
      await beating;
    }
    if (this.#failure) throw this.#failure.error;
  }

  /** True when there is nothing more to do. */
  async #takeAndBegin(): Promise<boolean> {
    const { wanted, spare } = this.#bench.unstoredCount < unstoredLimit ? this.#bench.room() : { wanted: 0, spare: 0 };
    const isHungry = wanted + spare > 0;
    const leases = isHungry ? await this.#patiently(() => this.#supply.take(wanted, spare)) : [];
    const surplus = this.#bench.add(leases);
    if (surplus.length > 0) await this.#patiently(() => this.#supply.giveBack(surplus));
    for (let lease = this.#bench.begin(); lease; lease = this.#bench.begin()) void this.#perform(lease);
    if (leases.length > 0) {
      this.#idleMs = shortestIdleMs;
      return false;
    }
    const isIdle = this.#bench.isEmpty && this.#bench.unstoredCount === 0;
    if (this.#parts.isOnce && isIdle && !this.#supply.isNeeded) return true;
    await this.#change.forMs(isHungry ? this.#idleMs : this.#parts.leaseMs);
    this.#idleMs = Math.min(this.#idleMs * 1.5, longestIdleMs);
    return false;
  }

  async #perform(lease: Lease): Promise<void> {
    try {
      const finished = await this.#parts.perform(lease);
      if (finished) {
        this.#leaseOf.set(finished, lease);
        this.#bench.finish(lease);
        this.#change.wake();
        await this.#writer.add(finished).catch((error) => this.#fail(error));
        return;
      }
      await this.#patiently(() => this.#supply.giveBack([lease]));
    } catch (error) {
      this.#supply.block(lease.group.runId, asAssayError(error).message);
      await this.#patiently(() => this.#supply.giveBack([lease])).catch((failure) => this.#fail(failure));
    }
    this.#bench.remove(lease);
    this.#change.wake();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#change.wake();
  }

  async #store(trials: readonly FinishedTrial[]): Promise<void> {
    const results = trials.flatMap((finished): LeasedResult[] => {
      const lease = this.#leaseOf.get(finished);
      return lease ? [{ lease, finished }] : [];
    });
    const refused = await retryWhileDatabaseIsDown(this.#patience(), () => storeUnderLease(this.#parts.work, results));
    for (const { lease } of refused) {
      this.#parts.log(
        `Refused as too late: ${lease.trial.trialId} (${lease.trial.scenario}, attempt ${lease.attempt}); its lease had ended, so another worker runs it or it was cancelled.`,
      );
    }
    for (const result of results) this.#parts.settled(result.finished, !refused.includes(result));
    const leases = results.map(({ lease }) => lease);
    await retryWhileDatabaseIsDown(this.#patience(), () => this.#supply.release(leases));
    for (const lease of leases) this.#bench.remove(lease);
    this.#change.wake();
  }

  /** Nothing new is begun; what runs may end within its time, and the rest is given back. */
  async #drain(): Promise<void> {
    const { drainMs, log, openRuns, endRun } = this.#parts;
    this.#isDraining = true;
    const left = this.#bench.clear();
    if (left.length > 0) await this.#supply.giveBack(left).catch(() => undefined);
    if (!this.#bench.isEmpty) log(`Ending: ${counted(this.#bench.running.length, 'trial')} may still finish.`);
    const deadline = performance.now() + (this.#failure ? 0 : drainMs);
    while (!this.#bench.isEmpty && performance.now() < deadline) {
      await this.#change.forMs(deadline - performance.now());
    }
    if (!this.#bench.isEmpty) log(`Giving back ${counted(this.#bench.running.length, 'trial')} that did not finish.`);
    await Promise.all(openRuns().map((runId) => endRun(runId)));
    while (!this.#bench.isEmpty && !this.#failure) await this.#change.forMs(this.#parts.leaseMs);
    if (!this.#failure) await this.#writer.flush();
    await removeWorker(this.#parts.work.db, this.#parts.facts.workerId).catch(() => undefined);
  }

  #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryWhileDatabaseIsDown(this.#patience(), work);
  }

  #patience() {
    return { signal: this.#ended.signal, log: this.#parts.log };
  }
}
