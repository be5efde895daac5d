import { sumOf } from '../domain/spend.ts';
import type { PairedComparison } from '../stats/compare-pairs.ts';
import type { RepeatPlan } from '../stats/plan-repeats.ts';
import { fewestInformative } from '../stats/sign-test.ts';
import type { SideTotals } from './collected-side.ts';
import type { DecisionPlan } from './comparison.ts';

/** What a trial of the two sides took on average; null where none was run. */
export interface MeanTrial {
  /** Null where a trial did not report it. */
  readonly costUsd: number | null;
  readonly durationMs: number | null;
}

/** One trial of A and one of B, halved. */
export function meanTrial(sides: readonly Pick<SideTotals, 'tried'>[]): MeanTrial | null {
  const tried = sides.map((side) => side.tried).filter(({ trials }) => trials > 0);
  if (tried.length === 0) return null;
  const meanOf = (pick: (totals: SideTotals['tried']) => number | null): number | null => {
    const sum = sumOf(tried.map((totals) => scaled(pick(totals), 1 / totals.trials)));
    return scaled(sum, 1 / tried.length);
  };
  return { costUsd: meanOf(({ costUsd }) => costUsd), durationMs: meanOf(({ durationMs }) => durationMs) };
}

interface Observed {
  readonly comparison: PairedComparison;
  readonly smallestDifference: number;
  /** The largest that a difference can be; undefined where there is no largest. */
  readonly largestDifference: number | undefined;
  /** Fewest tries of a case on a side. */
  readonly repeats: number;
}

/** What would decide a figure that was not decided; always more than there is. */
export function decisionPlan(observed: Observed, trial: MeanTrial | null): DecisionPlan {
  const { repeats, cases } = neededFor(observed);
  const total = repeats === null ? cases * observed.repeats : observed.comparison.cases * repeats;
  return withEffort({ repeats, cases }, total * 2, trial);
}

/** A plan with what so many trials would take. */
export function withEffort(plan: RepeatPlan, trials: number, trial: MeanTrial | null): DecisionPlan {
  if (!Number.isFinite(trials)) return { ...plan, trials: null, costUsd: null, durationMs: null };
  return {
    ...plan,
    trials,
    costUsd: trial && scaled(trial.costUsd, trials),
    durationMs: trial && scaled(trial.durationMs, trials),
  };
}

function scaled(amount: number | null, factor: number): number | null {
  return amount === null ? null : amount * factor;
}

function neededFor({ comparison, smallestDifference, largestDifference, repeats }: Observed): RepeatPlan {
  const { plan, cases } = comparison;
  if (comparison.informative === 0) {
    const share = Math.min(0.99, smallestDifference / (largestDifference ?? smallestDifference * 2));
    return { repeats: null, cases: Math.max(cases + 1, unvaryingCases(share)) };
  }
  const needed = Math.max(fewestInformative, plan.cases);
  // Few cases stay few however often they are repeated, and one try each does not tell chance from difference.
  const areRepeatsEnough = plan.repeats !== null && cases >= fewestInformative && repeats > 1;
  return {
    repeats: areRepeatsEnough && plan.repeats !== null ? atLeastTwice(plan.repeats, repeats) : null,
    cases: atLeastTwice(needed, cases),
  };
}

/** The plan holds on average; where there is as much as it asks for and still no answer, it takes twice of it. */
function atLeastTwice(planned: number, had: number): number {
  return planned > had ? planned : had * 2;
}

/** So many cases without any difference leave no room for one in more than this share of them. */
function unvaryingCases(share: number): number {
  return Math.floor(Math.log(0.025) / Math.log(1 - share)) + 1;
}
