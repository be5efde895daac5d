import { isLiveStatus, type RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { CellCounts, Store } from '../../keep/store/store.ts';
import { canonicalJson } from '../../shared/json.ts';

const mostRuns = 20;

/** Figures of earlier trials of a scenario under a variant; null where they were not measured or reported. */
export interface EarlierFigures {
  readonly trials: number;
  readonly runs: number;
  readonly meanMs: number | null;
  readonly meanUsd: number | null;
}

interface Sums {
  trials: number;
  runs: number;
  readonly ms: { sum: number; trials: number };
  readonly usd: { sum: number; trials: number };
}

/** Time and cost of earlier trials, by scenario and variant: those of the last runs, which the store has counted already. */
export class EarlierTrials {
  readonly #cells = new Map<string, Sums>();

  static async read(store: Store | undefined): Promise<EarlierTrials> {
    const earlier = new EarlierTrials();
    if (!store) return earlier;
    const { items } = await store.readRunRows({ limit: mostRuns });
    for (const { run } of items.filter((item) => isMeasured(item.run))) {
      for (const cell of await store.countByCell(run.runId)) earlier.#add(cell);
    }
    return earlier;
  }

  find(scenario: string, variant: Variant): EarlierFigures {
    const found = this.#cells.get(keyOf(scenario, variant));
    if (!found) return { trials: 0, runs: 0, meanMs: null, meanUsd: null };
    const { trials, runs, ms, usd } = found;
    return { trials, runs, meanMs: meanOf(ms), meanUsd: meanOf(usd) };
  }

  /** Trials in which Assay stood in for something took other times and costs, and those that were reused nothing. */
  #add({ scenario, variant, pass, fail, error, marks, durationMs, costUsd }: CellCounts): void {
    const trials = pass + fail + error;
    const { simulated: _, ...standIns } = marks;
    if (trials === 0 || Object.keys(standIns).length > 0) return;
    const key = keyOf(scenario, variant);
    const sums = this.#cells.get(key) ?? { trials: 0, runs: 0, ms: { sum: 0, trials: 0 }, usd: { sum: 0, trials: 0 } };
    sums.trials += trials;
    sums.runs += 1;
    for (const [figure, value] of [[sums.ms, durationMs] as const, [sums.usd, costUsd] as const]) {
      if (value === null) continue;
      figure.sum += value;
      figure.trials += trials;
    }
    this.#cells.set(key, sums);
  }
}

/** Trials made elsewhere, with edited input, or with tools that a recording answered took other times and costs. */
function isMeasured({ status, request: { origin, replayTools } }: RunHeader): boolean {
  return !isLiveStatus(status) && origin === null && replayTools === undefined;
}

function keyOf(scenario: string, variant: Variant): string {
  return canonicalJson([scenario, variant]);
}

function meanOf({ sum, trials }: Sums['ms']): number | null {
  return trials === 0 ? null : sum / trials;
}
