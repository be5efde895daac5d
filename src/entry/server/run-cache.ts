import { DriftWatch } from '../../compose/drift/watch-drift.ts';
import { asAssayError } from '../../domain/errors.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Store } from '../../keep/store/store.ts';
import type { Comparison } from '../../report/compare/comparison.ts';
import type { VariantTable } from '../../report/compare/variants/variant-table.ts';
import { traceWeight } from '../../report/presentation/trace-page.ts';
import type { ClusteredFailures } from '../../report/reporters/failure-clusters.ts';
import type { CountedRun } from '../../report/reporters/run-view.ts';
import type { BreakdownReport } from '../../report/reporters/sections/breakdown.ts';
import type { Dashboard } from './api/runs.ts';
import type { ScenarioRun } from './api/stats.ts';
import type { Judging } from './api/trials.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { CaseOrder } from './grid/case-order.ts';
import { FollowedRuns } from './live/followed-runs.ts';

type Progress = Pick<Judging, 'judged' | 'total' | 'costUsd'>;
type Problem = NonNullable<Judging['problem']>;

interface RunningJudging {
  readonly controller: AbortController;
  progress: Progress;
}

const nothing: Progress = { judged: 0, total: 0, costUsd: 0 };

/** Judgings of this process by their sides. They go on when the page that started them is closed. */
class Judgings {
  readonly #running = new Map<string, RunningJudging>();
  /** Why the last one of some sides ended early. */
  readonly #problems = new Map<string, Problem>();

  /** Begins, unless these sides are being judged already. */
  start(
    key: string,
    ended: AbortSignal,
    work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<void>,
  ): void {
    if (this.#running.has(key)) return;
    const own: RunningJudging = { controller: new AbortController(), progress: nothing };
    this.#running.set(key, own);
    this.#problems.delete(key);
    const signal = AbortSignal.any([own.controller.signal, ended]);
    const report = (progress: Progress): void => {
      own.progress = progress;
    };
    void work(signal, report)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#problems.set(key, problemOf(error));
      })
      .finally(() => this.#running.delete(key));
  }

  progressOf(key: string): Progress | undefined {
    return this.#running.get(key)?.progress;
  }

  problemOf(key: string): Problem | null {
    return this.#problems.get(key) ?? null;
  }

  cancel(key: string): void {
    this.#running.get(key)?.controller.abort();
  }
}

function problemOf(error: unknown): Problem {
  const { message, hint } = asAssayError(error);
  return { message, hint: hint ?? null };
}

const mostTraceCharacters = 100_000_000;

/** Orders of cases take four bytes for each trial and case. */
const mostOrderedTrials = 5_000_000;

/** Figures of ended runs, which cannot change, and recently read traces. */
export class RunCache {
  readonly figures = new BoundedCache<CountedRun>(500);
  readonly breakdowns = new BoundedCache<BreakdownReport>(50);
  readonly clusters = new BoundedCache<ClusteredFailures>(50);
  readonly comparisons = new BoundedCache<Comparison>(20);
  readonly judgings = new Judgings();
  readonly variants = new BoundedCache<VariantTable>(20);
  readonly caseOrders = new BoundedCache<CaseOrder>(mostOrderedTrials, ({ ordinals }) => ordinals.length + 1);
  /** Runs whose pages were prepared. */
  readonly prepared = new BoundedCache<null>(500);
  readonly trialOrders = new BoundedCache<Int32Array>(mostOrderedTrials, ({ length }) => length + 1);
  readonly broke = new BoundedCache<Dashboard['broke']>(20);
  readonly scenarioRuns = new BoundedCache<ScenarioRun>(400);
  readonly traces = new BoundedCache<Trace>(mostTraceCharacters, traceWeight);
  readonly followed: FollowedRuns;
  readonly drift: DriftWatch;

  constructor(store: Store) {
    this.followed = new FollowedRuns(store);
    this.drift = new DriftWatch(store);
  }
}
