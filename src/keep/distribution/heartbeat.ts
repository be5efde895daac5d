import { pause } from '../../shared/async.ts';
import { type Lease, leaseName, type TrialWorkerParts } from './distribution.ts';
import type { LeaseSource } from './lease-source.ts';
import { extendLeases, extendUses } from './leases.ts';
import { reapExpiredLeases } from './reap-expired-leases.ts';
import { retryWhileDatabaseIsDown } from './work-database.ts';
import type { WorkerSlots } from './worker-slots.ts';
import { reportWorker, type WorkerState } from './workers.ts';

interface Watched {
  readonly bench: WorkerSlots;
  readonly supply: LeaseSource;
  state(): WorkerState;
}

/** Says regularly that a worker is alive and what it does, and keeps its leases. */
export class Heartbeat {
  readonly #parts: TrialWorkerParts;
  readonly #watched: Watched;
  readonly #lost = new WeakSet<Lease>();
  #notes: readonly string[] = [];

  constructor(parts: TrialWorkerParts, watched: Watched) {
    this.#parts = parts;
    this.#watched = watched;
  }

  /** Beats, and does its share of what must be done for all, until the signal is given. */
  async beat(signal: AbortSignal): Promise<void> {
    const { work, leaseMs, log } = this.#parts;
    const intervalMs = leaseMs / 3;
    const repeatedly = async (step: () => Promise<void>): Promise<void> => {
      for (;;) {
        await pause(intervalMs, signal);
        if (signal.aborted) return;
        await retryWhileDatabaseIsDown({ signal, log }, step);
      }
    };
    // Apart from each other: what is done for all may take longer than a lease lasts.
    await Promise.all([repeatedly(() => this.#keepAlive()), repeatedly(() => reapExpiredLeases(work, intervalMs))]);
  }

  /** Publishes the state of the worker. */
  async report(): Promise<void> {
    const { work, facts, leaseMs, log } = this.#parts;
    const { bench, supply, state } = this.#watched;
    const notes = supply.notes();
    for (const note of notes) if (!this.#notes.includes(note)) log(`Not taken: ${note.replace(/\.+$/, '')}.`);
    this.#notes = notes;
    const now = performance.now();
    const running = bench.running.map(({ lease: { trial, group, attempt }, beganAt }) => ({
      trialId: trial.trialId,
      runId: group.runId,
      scenario: trial.scenario,
      caseId: trial.caseId,
      attempt,
      forMs: Math.round(now - beganAt),
    }));
    await reportWorker(work.db, facts, { state: state(), running, notes }, leaseMs);
  }

  async #keepAlive(): Promise<void> {
    const { work, leaseMs, openRuns, endRun, log } = this.#parts;
    const { bench, supply } = this.#watched;
    const leases = [...bench.waiting, ...bench.running.map(({ lease }) => lease), ...bench.unstored];
    const held = await extendLeases(work.db, leases, leaseMs);
    await extendUses(work.db, supply.holders, leaseMs);
    await supply.refresh();
    const open = supply.openRuns;
    await this.#lose(
      leases.filter((lease) => !held.has(leaseName(lease))),
      open,
    );
    await this.report();
    for (const runId of openRuns()) {
      // Not waited for: closing what a run has opened may take longer than a lease lasts.
      if (!open.has(runId)) void endRun(runId).catch((error) => log(`${runId} could not be ended: ${String(error)}`));
    }
  }

  /** Trials that were not begun are not begun any more; results of those that run will be refused. */
  async #lose(leases: readonly Lease[], openRuns: ReadonlySet<string>): Promise<void> {
    const { bench, supply } = this.#watched;
    const notBegun = leases.filter((lease) => bench.waiting.includes(lease));
    for (const lease of notBegun) bench.remove(lease);
    await supply.release(notBegun);
    const running = new Set(bench.running.map(({ lease }) => lease));
    for (const lease of leases) {
      if (!running.has(lease) || this.#lost.has(lease) || !openRuns.has(lease.group.runId)) continue;
      this.#lost.add(lease);
      const { trialId, scenario } = lease.trial;
      this.#parts.log(`The lease of ${trialId} (${scenario}) has ended; another worker may run it now.`);
    }
  }
}
