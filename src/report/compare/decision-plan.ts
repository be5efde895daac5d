import { sumOf } from '../../domain/cost-sum.ts';
import type { Rows } from '../../shared/rows.ts';
import type { PairedCase } from '../../shared/stats/compare-pairs.ts';
import { pairedVariance, planRepeats, type RepeatPlan } from '../../shared/stats/plan-repeats.ts';
import type { SideTotals } from './collected-side.ts';
import type { DecisionPlan } from './comparison.ts';

/** Mean cost and duration of a trial of the two sides; null where none was run. */
export interface MeanTrial {
  readonly costUsd: number | null;
  readonly durationMs: number | null;
}

/** One trial of A and one of B, halved; null where a side did not report all of it. */
export function meanTrial(sides: readonly Pick<SideTotals, 'tried'>[]): MeanTrial | null {
  const tried = sides.map((side) => side.tried).filter(({ trials }) => trials > 0);
  if (tried.length === 0) return null;
  const meanOf = (pick: (totals: SideTotals['tried']) => number | null): number | null =>
    scaled(sumOf(tried.map((totals) => scaled(pick(totals), 1 / totals.trials))), 1 / tried.length);
  return { costUsd: meanOf(({ costUsd }) => costUsd), durationMs: meanOf(({ durationMs }) => durationMs) };
}

export interface PlannedFigure {
  /** With the trials of A alone where there is one run only. */
  readonly cases: Rows<Omit<PairedCase, 'b'> & Partial<PairedCase>>;
  readonly difference: number;
  readonly isShare: boolean;
  /** Whether the present trials did not decide it: then the plan must exceed them. */
  readonly isUndecided: boolean;
}

/** The one plan of `compare` and `plan-repeats`: the size that finds a difference four times in five. */
export function decisionPlan(
  { cases, difference, isShare, isUndecided }: PlannedFigure,
  trial: MeanTrial | null,
): DecisionPlan {
  let repeats = Number.MAX_SAFE_INTEGER;
  for (const { a, b } of cases) repeats = Math.min(repeats, a.length, (b ?? a).length);
  const variance = pairedVariance(cases);
  const planned = planRepeats(variance, difference, repeats, isShare);
  const plan = isUndecided
    ? {
        repeats: planned.repeats === null ? null : moreThan(planned.repeats, repeats),
        cases: moreThan(planned.cases, variance.units),
      }
    : planned;
  const perUnit = cases.length / Math.max(1, variance.units);
  const trials = 2 * (plan.repeats === null ? plan.cases * perUnit * repeats : plan.repeats * cases.length);
  return withEffort(plan, Math.ceil(trials), trial);
}

/** A plan with the cost and duration of its trials. */
function withEffort(plan: RepeatPlan, trials: number, trial: MeanTrial | null): DecisionPlan {
  if (!Number.isFinite(trials)) return { ...plan, trials: null, costUsd: null, durationMs: null };
  return {
    ...plan,
    trials,
    costUsd: trial && scaled(trial.costUsd, trials),
    durationMs: trial && scaled(trial.durationMs, trials),
  };
}

function scaled(figure: number | null, factor: number): number | null {
  return figure === null ? null : figure * factor;
}

/** The plan holds on average; where there is as much as it requires and still no answer, it is doubled. */
function moreThan(planned: number, had: number): number {
  return planned > had ? planned : had * 2;
}
