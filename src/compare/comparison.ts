import type { Answer } from '../stats/compare-pairs.ts';
import type { Interval } from '../stats/interval.ts';
import type { RepeatPlan } from '../stats/plan-repeats.ts';
import type { DiagnosisFinding } from './diagnosis.ts';

/** One side of a comparison: a run, or one variant of a run. A is what was, B is what is new. */
export interface ComparedSide {
  readonly label: string;
  readonly runId: string;
  readonly startedAt: number;
  readonly trials: number;
  /** Trials that could not be judged: they count for neither outcome. */
  readonly unjudged: number;
  readonly costUsd: number;
}

/** One figure on both sides, paired by case. */
export interface MetricComparison {
  /** `pass-rate`, `cost-usd`, `duration-ms`, `interaction.error_rate`, or the name of a metric. */
  readonly name: string;
  readonly isHigherBetter: boolean;
  readonly smallestDifference: number;
  readonly cases: number;
  readonly informative: number;
  readonly meanA: number;
  readonly meanB: number;
  readonly difference: number;
  readonly interval: Interval | undefined;
  readonly pValue: number;
  /** After Holm's correction over all figures that were looked at. */
  readonly adjustedP: number;
  readonly answer: Answer;
  /** What would decide it, where there is not enough data. */
  readonly plan: RepeatPlan | undefined;
}

/** A case that ended differently. */
export interface ChangedCase {
  readonly scenario: string;
  readonly caseId: string;
  /** The part of the variant that both sides share. */
  readonly variant: Readonly<Record<string, string>>;
  readonly change: 'broke' | 'fixed' | 'less-often' | 'more-often' | 'only-in-a' | 'only-in-b' | 'unjudged';
  readonly passedA: number;
  readonly triedA: number;
  readonly passedB: number;
  readonly triedB: number;
  /** Why a trial of B failed, or of A where B has none. */
  readonly reason: string;
  readonly trialA: string | undefined;
  readonly trialB: string | undefined;
  /** Assertions, gates or criteria that held before and do not now. */
  readonly broken: readonly string[];
}

/** Something about the two sides that makes their figures hard or impossible to compare. */
export interface Difference {
  readonly what: 'scenario' | 'agent' | 'model' | 'judge' | 'rubric' | 'tools' | 'assay' | 'repeats' | 'cases';
  readonly message: string;
  /** True where comparing would be wrong, and is refused unless it is forced. */
  readonly isDecisive: boolean;
}

/** Figures of one subcommand of a CLI tool on both sides. */
export interface SubcommandComparison {
  readonly subcommand: string;
  readonly callsA: number;
  readonly callsB: number;
  readonly errorsA: number;
  readonly errorsB: number;
  readonly helpA: number;
  readonly helpB: number;
}

/** Everything that can honestly be said of two sides. */
export interface Comparison {
  readonly schema: 'assay.compare/1';
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** What differs beside the results; with a decisive one there are no answers unless they were forced. */
  readonly differences: readonly Difference[];
  /** The outcome first, then every other figure. */
  readonly metrics: readonly MetricComparison[];
  /** The most important first. */
  readonly changedCases: readonly ChangedCase[];
  readonly subcommands: readonly SubcommandComparison[];
  readonly diagnosis: readonly { readonly side: 'a' | 'b'; readonly findings: readonly DiagnosisFinding[] }[];
  /** What can and cannot be said, in plain words. */
  readonly notes: readonly string[];
}
