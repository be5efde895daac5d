import { addJudge, type JudgeShare } from '../../domain/judge-share.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { ColumnsCollector } from './columns-collector.ts';
import { countStored } from './count-run.ts';
import { isInPlanOrder } from './each-case.ts';
import { KeptResults } from './kept-results.ts';

/** Trials that come before others of the plan wait for those. */
const mostWaiting = 5_000;
/** Code that runs for the first time is slow. */
const graceMs = 50;

/**
 * Collects the columns of a run while its trials are stored, in the order of the plan, and what judges spent: reading trials again
 * takes far longer. Columns take a small share of the time of the run; there are none where trials are so cheap that it would be
 * more.
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
  #judges: JudgeShare | undefined;
  #added = 0;
  #hasColumns: boolean;
  #isGivenUp = false;

  constructor(run: RunHeader, store: Store, mostShare: number) {
    this.#collector = new ColumnsCollector(run.runId, store);
    this.#store = store;
    this.#planned = run.planned;
    this.#mostShare = mostShare;
    this.#isInPlanOrder = isInPlanOrder(run);
    this.#hasColumns = this.#isInPlanOrder;
  }

  async add(records: readonly TrialRecord[]): Promise<void> {
    if (this.#isGivenUp) return;
    for (const record of records) this.#judges = addJudge(this.#judges, record);
    this.#added += records.length;
    if (this.#hasColumns) await this.#addColumns(records);
  }

  async #addColumns(records: readonly TrialRecord[]): Promise<void> {
    const [beganMs, cpu] = [performance.now(), process.cpuUsage()];
    for (const record of records) this.#waiting.set(record.ordinal, record);
    const inOrder: TrialRecord[] = [];
    for (let next = this.#take(); next; next = this.#take()) inOrder.push(next);
    await this.#collector.add(inOrder).catch(() => this.#dropColumns());
    const nowMs = performance.now();
    // On a busy machine, or while the store is awaited, most of the time passes without any work.
    const { user, system } = process.cpuUsage(cpu);
    this.#spentMs += Math.min(nowMs - beganMs, (user + system) / 1_000);
    const isTooDear = this.#spentMs > this.#mostShare * (nowMs - this.#beganMs) + graceMs;
    if (isTooDear || this.#waiting.size > mostWaiting) this.#dropColumns();
  }

  #dropColumns(): void {
    this.#hasColumns = false;
    this.#waiting.clear();
  }

  #take(): TrialRecord | undefined {
    const record = this.#waiting.get(this.#next);
    if (record) this.#waiting.delete(this.#next++);
    return record;
  }

  /** The run is read when a page about it is opened. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#dropColumns();
  }

  /** Keeps the columns and figures of the run, which has finished. Trials that came in another order are read. */
  async keep(run: RunHeader): Promise<void> {
    if (this.#isGivenUp) return;
    if (!this.#isInPlanOrder) {
      const { summarize } = await import('./summarize.ts');
      await summarize(this.#store, run);
      return;
    }
    const isClustered = run.scenarios.some(({ identity }) => identity?.clusters);
    if (this.#added === this.#planned && !isClustered) await this.#keepFigures(run);
    if (this.#hasColumns && this.#next === this.#planned) await this.#collector.keep(run);
  }

  async #keepFigures(run: RunHeader): Promise<void> {
    const kept = await KeptResults.of([run], this.#store);
    const judges = this.#judges?.trials ? this.#judges : null;
    await kept?.save('figures', await countStored(run, this.#store, judges));
  }
}
