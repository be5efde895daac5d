import { addJudge, type JudgeShare } from '../../domain/judge-share.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { packedSide } from '../../report/compare/packed-side.ts';
import { finishSide, SideCollector } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { VariantSides } from '../../report/compare/variants/variant-sides.ts';
import { Clustering } from '../../report/reporters/failure-clusters.ts';
import { ColumnsCollector } from './columns-collector.ts';
import { countStored } from './count-run.ts';
import { isInPlanOrder } from './each-case.ts';
import { KeptResults } from './kept-results.ts';
import { keepVariantSides } from './kept-variant-sides.ts';

/** Trials that come before others of the plan wait for those. */
const mostWaiting = 5_000;
/** The sides of larger runs take much memory. */
const mostOfSide = 250_000;
/** Code that runs for the first time is slow. */
const graceMs = 75;

/**
 * Collects what pages need of all trials of a run while they are stored: reading them again takes far longer. It is the columns
 * of its lists, the causes of its failures and its sides of comparisons, in the order of the plan, and what judges spent. That
 * takes a small share of the time of the run: where trials are so cheap that it would be more, first the sides of its variants
 * are given up, then that of the whole run, and then the columns and causes.
 */
export class RunningSummary {
  readonly #collector: ColumnsCollector;
  readonly #clustering = new Clustering();
  readonly #store: Store;
  readonly #planned: number;
  readonly #mostShare: number;
  readonly #isInPlanOrder: boolean;
  readonly #waiting = new Map<number, TrialRecord>();
  #beganMs = performance.now();
  #spentMs = 0;
  #next = 0;
  #judges: JudgeShare | undefined;
  #added = 0;
  #hasColumns: boolean;
  #side: SideCollector | undefined;
  #variants: VariantSides | undefined;
  #isGivenUp = false;

  constructor(run: RunHeader, store: Store, mostShare: number) {
    this.#collector = new ColumnsCollector(run.runId, store);
    this.#store = store;
    this.#planned = run.planned;
    this.#mostShare = mostShare;
    this.#isInPlanOrder = isInPlanOrder(run);
    this.#hasColumns = this.#isInPlanOrder;
    if (run.planned > mostOfSide) return;
    this.#side = new SideCollector();
    this.#variants = new VariantSides(run.planned);
  }

  async add(records: readonly TrialRecord[]): Promise<void> {
    if (this.#isGivenUp) return;
    for (const record of records) this.#judges = addJudge(this.#judges, record);
    this.#added += records.length;
    if (!this.#hasColumns) return;
    const [beganMs, cpu] = [performance.now(), process.cpuUsage()];
    const saved = this.#collect(records);
    const nowMs = performance.now();
    // On a busy machine most of the time passes without any work.
    const { user, system } = process.cpuUsage(cpu);
    this.#spentMs += Math.min(nowMs - beganMs, (user + system) / 1_000);
    const isTooDear = this.#spentMs > this.#mostShare * (nowMs - this.#beganMs) + graceMs;
    if (this.#waiting.size > mostWaiting) this.#dropColumns();
    if (isTooDear) this.#dropDearest();
    // Trials go on meanwhile, so the time is not that of the summary.
    await saved.catch(() => this.#dropColumns());
  }

  #collect(records: readonly TrialRecord[]): Promise<void> {
    for (const record of records) this.#waiting.set(record.ordinal, record);
    const inOrder: TrialRecord[] = [];
    for (let next = this.#take(); next; next = this.#take()) inOrder.push(next);
    this.#collector.add(inOrder);
    for (const record of inOrder) {
      this.#clustering.add(record);
      this.#side?.add(record);
      this.#variants?.add(record);
    }
    return this.#collector.saveTexts();
  }

  /** Measures the rest from here on: the columns do not pay for the sides. */
  #dropDearest(): void {
    this.#spentMs = 0;
    this.#beganMs = performance.now();
    const hasVariants = (this.#variants?.parts.length ?? 0) > 0;
    this.#variants = undefined;
    if (hasVariants) return;
    if (this.#side) this.#side = undefined;
    else this.#dropColumns();
  }

  #dropColumns(): void {
    this.#hasColumns = false;
    this.#side = undefined;
    this.#variants = undefined;
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

  /** Keeps what was collected of the run, which has finished, and its figures. Trials that came in another order are read. */
  async keep(run: RunHeader): Promise<void> {
    if (this.#isGivenUp) return;
    if (!this.#isInPlanOrder) {
      const { summarize } = await import('./summarize.ts');
      await summarize(this.#store, run);
      return;
    }
    const kept = await KeptResults.of([run], this.#store);
    if (!kept || this.#added !== this.#planned) return;
    const isOrdered = this.#next === this.#planned;
    if (this.#hasColumns && isOrdered) {
      await this.#collector.keep(run);
      await kept.save('clusters', await this.#clustering.finish(this.#store));
    }
    // Of clusters and attacks only the records know.
    if (run.scenarios.some(({ identity }) => identity?.clusters) || run.request.attacks) return;
    await kept.save('figures', await countStored(run, this.#store, this.#judges?.trials ? this.#judges : null));
    if (!this.#side || !isOrdered) return;
    await kept.save('side', packedSide(await finishSide(this.#side, storedSource(run, this.#store))));
    await kept.complete('side');
    if (this.#variants) await keepVariantSides(this.#variants, run, kept, this.#store);
  }
}
