import { asAssayError } from '../domain/errors.ts';
import { counted } from '../shared/numbers.ts';
import type { FinishedTrial } from '../store/store.ts';
import { Bench } from './bench.ts';
import type { Lease, WorkerFacts } from './distribution.ts';
import { keepHouse } from './keep-house.ts';
import { extendLeases } from './leases.ts';
import { extendUses } from './limit-leases.ts';
import { patiently } from './patiently.ts';
import { type LeasedResult, storeUnderLease } from './store-under-lease.ts';
import { Supply } from './supply.ts';
import { pause, Waiting } from './waiting.ts';
import type { WorkDatabase } from './work-database.ts';
import { removeWorker, reportWorker } from './workers.ts';

/** Collects results and stores several at a time. */
export interface ResultWriter {
  add(finished: FinishedTrial): Promise<void>;
  flush(): Promise<void>;
}

/** What a worker is made of. */
export interface TrialWorkerParts {
  readonly work: WorkDatabase;
  readonly facts: WorkerFacts;
  readonly leaseMs: number;
  /** How long trials may go on when the worker is asked to end. */
  readonly drainMs: number;
  /** Asks the worker to end. */
  readonly signal: AbortSignal;
  /** Ends when nothing that it can run waits or runs anywhere. */
  readonly isOnce?: boolean | undefined;
  /** Runs a trial; undefined when it was interrupted. Throws when the trial cannot be run on this machine. */
  perform(lease: Lease): Promise<FinishedTrial | undefined>;
  /** Ends all that was opened for a run, and interrupts its trials. */
  endRun(runId: string): Promise<void>;
  /** The runs that something is open for. */
  openRuns(): readonly string[];
  writeWith(save: (trials: readonly FinishedTrial[]) => Promise<void>): ResultWriter;
  /** Told of a result when it is stored, or refused because it came too late. */
  settled(finished: FinishedTrial, isStored: boolean): void;
  tell(message: string): void;
}

const shortestIdleMs = 100;
const longestIdleMs = 1_500;
/** Results that wait for their commit before no more trials are begun. */
const unstoredLimit = 512;

/** Takes trials, runs them and stores what became of them, for as long as it is not asked to end. */
export class TrialWorker {
  readonly #parts: TrialWorkerParts;
  readonly #supply: Supply;
  readonly #bench: Bench;
  readonly #writer: ResultWriter;
  readonly #lost = new Set<string>();
  readonly #change = new Waiting();
  readonly #ended = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #notes: readonly string[] = [];
  #idleMs = shortestIdleMs;
  #houseMs = 0;
  #isDraining = false;

  constructor(parts: TrialWorkerParts) {
    this.#parts = parts;
    this.#supply = new Supply(parts.work, parts.facts, parts.leaseMs);
    this.#bench = new Bench(parts.facts.concurrency);
    this.#writer = parts.writeWith((trials) => this.#store(trials));
  }

  /** Resolves when the worker has ended and owes nobody anything. */
  async run(): Promise<void> {
    const { signal } = this.#parts;
    const onStop = () => this.#change.wake();
    signal.addEventListener('abort', onStop);
    await this.#patiently(() => this.#report());
    const beating = this.#beat();
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
    const { wanted, spare } =
      this.#bench.unstored.length < unstoredLimit ? this.#bench.room() : { wanted: 0, spare: 0 };
    const isHungry = wanted + spare > 0;
    const leases = isHungry ? await this.#patiently(() => this.#supply.take(wanted, spare)) : [];
    const surplus = this.#bench.add(leases);
    if (surplus.length > 0) await this.#patiently(() => this.#supply.giveBack(surplus));
    for (let lease = this.#bench.begin(); lease; lease = this.#bench.begin()) void this.#perform(lease);
    if (leases.length > 0) {
      this.#idleMs = shortestIdleMs;
      return false;
    }
    if (
      this.#parts.isOnce &&
      this.#bench.isEmpty &&
      this.#bench.unstored.length === 0 &&
      this.#supply.openRuns.size === 0
    ) {
      return true;
    }
    await this.#change.forMs(isHungry ? this.#idleMs : this.#parts.leaseMs);
    this.#idleMs = Math.min(this.#idleMs * 1.5, longestIdleMs);
    return false;
  }

  async #perform(lease: Lease): Promise<void> {
    try {
      const finished = await this.#parts.perform(lease);
      if (finished) {
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
    const leaseOf = new Map(this.#bench.unstored.map((lease) => [lease.trial.trialId, lease]));
    const results = trials.flatMap((finished): LeasedResult[] => {
      const lease = leaseOf.get(finished.record.trialId);
      return lease ? [{ lease, finished }] : [];
    });
    const refused = await patiently(this.#patience(), () => storeUnderLease(this.#parts.work, results));
    for (const { lease } of refused) {
      this.#parts.tell(
        `Refused as too late: ${lease.trial.trialId} (${lease.trial.scenario}, attempt ${lease.attempt}); its lease had ended, so that somebody else runs it or it was cancelled.`,
      );
    }
    for (const result of results) this.#parts.settled(result.finished, !refused.includes(result));
    const leases = results.map(({ lease }) => lease);
    await patiently(this.#patience(), () => this.#supply.release(leases));
    for (const lease of leases) {
      this.#bench.remove(lease);
      this.#lost.delete(lease.jobId);
    }
    this.#change.wake();
  }

  /** Nothing new is begun; what runs may end within its time, and the rest is given back. */
  async #drain(): Promise<void> {
    const { drainMs, tell, openRuns, endRun } = this.#parts;
    this.#isDraining = true;
    const left = this.#bench.clear();
    if (left.length > 0) await this.#supply.giveBack(left).catch(() => undefined);
    if (!this.#bench.isEmpty) tell(`Ending: ${counted(this.#bench.running.length, 'trial')} may still finish.`);
    const deadline = performance.now() + (this.#failure ? 0 : drainMs);
    while (!this.#bench.isEmpty && performance.now() < deadline) {
      await this.#change.forMs(deadline - performance.now());
    }
    if (!this.#bench.isEmpty) tell(`Giving back ${counted(this.#bench.running.length, 'trial')} that did not finish.`);
    await Promise.all(openRuns().map((runId) => endRun(runId)));
    while (!this.#bench.isEmpty && !this.#failure) await this.#change.forMs(this.#parts.leaseMs);
    if (!this.#failure) await this.#writer.flush();
    await removeWorker(this.#parts.work.db, this.#parts.facts.workerId).catch(() => undefined);
  }

  /** Says regularly that the worker is alive, keeps its leases, and does its share of what must be done for all. */
  async #beat(): Promise<void> {
    const intervalMs = this.#parts.leaseMs / 3;
    while (!this.#ended.signal.aborted) {
      await pause(Math.max(intervalMs, this.#houseMs * 10), this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      try {
        await this.#patiently(() => this.#keepAlive());
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
  }

  async #keepAlive(): Promise<void> {
    const { work, leaseMs, openRuns, endRun } = this.#parts;
    const running = this.#bench.running.map(({ lease }) => lease);
    const leases = [...this.#bench.waiting, ...running, ...this.#bench.unstored];
    const held = await extendLeases(work.db, leases, leaseMs);
    await extendUses(work.db, this.#supply.holders, leaseMs);
    for (const lease of running) if (!held.has(lease.jobId)) this.#tellLost(lease);
    await this.#supply.refresh();
    const open = this.#supply.openRuns;
    await Promise.all(openRuns().flatMap((runId) => (open.has(runId) ? [] : [endRun(runId)])));
    await this.#report();
    const began = performance.now();
    await keepHouse(work, leaseMs / 3);
    this.#houseMs = performance.now() - began;
  }

  #tellLost({ jobId, trial, group }: Lease): void {
    const isStillRunning = this.#bench.running.some(({ lease }) => lease.jobId === jobId);
    if (!isStillRunning || this.#lost.has(jobId) || !this.#supply.openRuns.has(group.runId)) return;
    this.#lost.add(jobId);
    this.#parts.tell(`The lease of ${trial.trialId} (${trial.scenario}) has ended; somebody else may run it now.`);
  }

  async #report(): Promise<void> {
    const { work, facts, leaseMs, tell } = this.#parts;
    const notes = this.#supply.notes();
    for (const note of notes) if (!this.#notes.includes(note)) tell(`Not taken: ${note}.`);
    this.#notes = notes;
    const now = performance.now();
    const running = this.#bench.running.map(({ lease: { trial, group, attempt }, beganAt }) => ({
      trialId: trial.trialId,
      runId: group.runId,
      scenario: trial.scenario,
      caseId: trial.caseId,
      attempt,
      forMs: Math.round(now - beganAt),
    }));
    await reportWorker(work.db, facts, { state: this.#isDraining ? 'stopping' : 'working', running, notes }, leaseMs);
  }

  #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    return patiently(this.#patience(), work);
  }

  #patience() {
    return { signal: this.#ended.signal, tell: this.#parts.tell };
  }
}
