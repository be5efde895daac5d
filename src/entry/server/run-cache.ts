import { DriftWatch } from '../../compose/rules/watch-drift.ts';
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
import { BoundedCache } from './bounded-cache.ts';
import type { CaseOrder } from './grid/case-order.ts';
import { Judgings } from './judgings.ts';
import { FollowedRuns } from './live/followed-runs.ts';

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
