import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { ColumnsCollector } from './columns-collector.ts';
import { isInPlanOrder } from './each-case.ts';

/** Trials that come before others of the plan wait for those. */
const mostWaiting = 5_000;
/** Code that runs for the first time is slow. */
const graceMs = 50;

/**
 * Collects the columns of a run while its trials are stored, in the order of the plan: reading them again takes far longer. It
 * takes a small share of the time of the run, and gives up where trials are so cheap that it would be more.
 */
export class RunningSummary {
  readonly #collector: ColumnsCollector;
  readonly #store: Store;
  readonly #planned: number;
  readonly #mostShare: number;
  readonly #isInPlanOrder: boolean;
  readonly #waiting = new Map<number, TrialRecord>();
  readonly #beganMs = performance.now();
  #spentMs = 0;
  #next = 0;
  #isGivenUp = false;

  constructor(run: RunHeader, store: Store, mostShare: number) {
    this.#collector = new ColumnsCollector(run.runId, store);
    this.#store = store;
    this.#planned = run.planned;
    this.#mostShare = mostShare;
    this.#isInPlanOrder = isInPlanOrder(run);
  }

  async add(records: readonly TrialRecord[]): Promise<void> {
    if (this.#isGivenUp || !this.#isInPlanOrder) return;
    const beganMs = performance.now();
    for (const record of records) this.#waiting.set(record.ordinal, record);
    const inOrder: TrialRecord[] = [];
    for (let next = this.#take(); next; next = this.#take()) inOrder.push(next);
    await this.#collector.add(inOrder).catch(() => this.giveUp());
    const nowMs = performance.now();
    this.#spentMs += nowMs - beganMs;
    const isTooDear = this.#spentMs > this.#mostShare * (nowMs - this.#beganMs) + graceMs;
    if (isTooDear || this.#waiting.size > mostWaiting) this.giveUp();
  }

  #take(): TrialRecord | undefined {
    const record = this.#waiting.get(this.#next);
    if (record) this.#waiting.delete(this.#next++);
    return record;
  }

  /** The run is read when a page about it is opened. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#waiting.clear();
  }

  /** Keeps the columns of the run, which has finished. Trials that came in another order are read. */
  async keep(run: RunHeader): Promise<void> {
    if (this.#isGivenUp) return;
    if (this.#isInPlanOrder) {
      if (this.#next === this.#planned) await this.#collector.keep(run);
      return;
    }
    const { summarize } = await import('./summarize.ts');
    await summarize(this.#store, run);
  }
}
