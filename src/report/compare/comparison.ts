import type { ToolCommand } from '../../score/interaction/tool-command.ts';
import type { Rows } from '../../shared/rows.ts';
import type { Answer } from '../../shared/stats/answer.ts';
import type { JudgeErrors } from '../../shared/stats/correct-judge.ts';
import type { Interval } from '../../shared/stats/pass-rate.ts';
import type { RepeatPlan } from '../../shared/stats/plan-repeats.ts';
import type { DiagnosticPattern } from './diagnosis-patterns.ts';
import type { PairwiseComparison } from './judged-pairs.ts';
import type { UnitKind } from './sample-units.ts';
import type { SkillTriggering } from './skill-triggering.ts';

/** The share of the pairs of answers that a side wins when a judge compares them, ties as half. */
export const judgePreference = 'judge-preference';

/** One side of a comparison: a run, or one variant of a run. A is the earlier one, B the new one. */
export interface ComparedSide {
  readonly label: string;
  readonly runId: string;
  readonly startedAt: number;
  readonly trials: number;
  /** Trials that could not be judged: they count for neither outcome. */
  readonly unjudged: number;
  /** Planned trials without a record; left out where there are none. */
  readonly absent?: number;
  /** Null where a trial did not report it. */
  readonly costUsd: number | null;
}

/** One of the four honest answers; `higher` or `lower` for a figure without a better direction. */
export type FigureAnswer = Answer | 'higher' | 'lower';

/** How a figure is to be read: a share of 0 to 1, dollars, milliseconds, a count, or a number of some other kind. */
export type FigureUnit = 'share' | 'usd' | 'ms' | 'count' | 'number';

/** The size, cost and time of a comparison that would decide a figure, estimated from these trials. */
export interface DecisionPlan extends RepeatPlan {
  /** Of both sides together, with the repeats, or else the cases, that are needed; null where it cannot be estimated. */
  readonly trials: number | null;
  readonly costUsd: number | null;
  /** Of all trials one after the other. */
  readonly durationMs: number | null;
}

/**
 * How a figure that is compared by ratios differs in a typical trial: the geometric mean of B through A. Rare trials that
 * are many times as large count little here, and much in the mean.
 */
export interface TypicalRatio {
  /** Geometric means of both sides, whose ratio it is. */
  readonly a: number;
  readonly b: number;
  readonly ratio: number;
  readonly interval: Interval | undefined;
  readonly pValue: number;
  readonly answer: FigureAnswer;
}

/** Which question decides: did anything change on these tasks, or does it for others like them? */
export type Question = 'these-tasks' | 'tasks-like-these';

/** A figure on exactly these cases: they are fixed, and their trials are the sample. */
export interface OnTheseTasks {
  readonly cases: number;
  readonly trialsA: number;
  readonly trialsB: number;
  /** Whether difference and interval are logarithms of ratios. */
  readonly isRatio: boolean;
  readonly difference: number;
  /** Undefined where so few trials exclude nothing. */
  readonly interval: Interval | undefined;
  /** Two-sided, by permuting the trials of each case. */
  readonly pValue: number;
  /** Of the interval: 0.05 for 95 %. */
  readonly level: number;
  /** Read from the interval, or from single cases where the mean hides that they broke or were fixed. */
  readonly answer: FigureAnswer;
  /** Cases that changed beyond chance; present where they decide, and the mean does not. */
  readonly decidedBy?: DecidingCases | undefined;
}

/** How many cases changed beyond chance; all in one direction. */
export interface DecidingCases {
  readonly change: 'broke' | 'fixed';
  readonly count: number;
}

/** One figure on both sides, paired by case. */
export interface MetricComparison {
  /** `pass-rate`, `cost-usd`, `duration-ms`, `interaction.error_rate`, or the name of a metric. */
  readonly name: string;
  readonly unit: FigureUnit;
  /** Null where neither direction is better. */
  readonly isHigherBetter: boolean | null;
  readonly smallestDifference: number;
  /** Different cases that have the figure on both sides; one under several models or personas is one. */
  readonly cases: number;
  /** Pairs of the same case under the same variant. */
  readonly pairs: number;
  /** Size of the sample: cases, declared clusters, or scenarios where several have their own cases. */
  readonly units: number;
  readonly unitKind: UnitKind;
  /** Fewest and most tries of a case on a side. */
  readonly repeats: { readonly fewest: number; readonly most: number };
  /** Units that differ. */
  readonly informative: number;
  readonly meanA: number;
  readonly meanB: number;
  readonly difference: number;
  /**
   * Of the mean difference. For a figure without a bound it leaves room for rare large trials that were missed, and
   * for all figures it leaves room for the trials that one side lost.
   */
  readonly interval: Interval | undefined;
  /** Of the intervals: 0.05 for 95 %. */
  readonly level: number;
  readonly pValue: number;
  /** After Holm's correction: all figures but the first, which is the main question, share a fifth of its error rate. */
  readonly adjustedP: number;
  /** Of the mean, read from the interval. */
  readonly answer: FigureAnswer;
  /** The difference is certain, and certain to be smaller than the smallest that matters. */
  readonly isLessThanMatters: boolean;
  /** Null for figures that are not compared by ratios. */
  readonly typical: TypicalRatio | null;
  readonly onTheseTasks: OnTheseTasks;
  /** Another possible reason for the answer than the change; null where there is none. */
  readonly caution: string | null;
  /** Present where the errors of the judge were corrected for. */
  readonly correction?: FigureCorrection | undefined;
  /** Present where there is not enough data. */
  readonly plan: DecisionPlan | undefined;
}

/** The figure as the judge gave it, and the errors that were corrected for. */
export interface FigureCorrection {
  readonly uncorrected: Pick<MetricComparison, 'meanA' | 'meanB' | 'difference' | 'interval'>;
  readonly judges: readonly (JudgeErrors & { readonly model: string })[];
}

/** A case on both sides. */
export interface ComparedCase {
  readonly scenario: string;
  readonly caseId: string;
  /** The part of the variant that both sides share. */
  readonly variant: Readonly<Record<string, string>>;
  readonly passedA: number;
  readonly triedA: number;
  readonly passedB: number;
  readonly triedB: number;
  /** Why a trial of B failed, or of A where B has none. */
  readonly reason: string;
  readonly trialA: string | undefined;
  readonly trialB: string | undefined;
}

/** A case that ended differently. */
export interface ChangedCase extends ComparedCase {
  readonly change: 'broke' | 'fixed' | 'less-often' | 'more-often' | 'only-in-a' | 'only-in-b' | 'unjudged';
  /** Assertions, gates or criteria that held before and do not now. */
  readonly broken: readonly string[];
  /** Whether chance does not explain the change in a suite as flaky as this one. */
  readonly isBeyondChance: boolean;
}

/** The values of a figure on one side, to be drawn. */
export interface SideDots {
  /** In ascending order; of many values a few that show how they are spread, with the least and the greatest. */
  readonly values: readonly number[];
  readonly total: number;
  readonly median: number;
}

/** Every value of a figure on both sides; null where a side has none. */
export interface FigureDots {
  readonly name: string;
  readonly unit: FigureUnit;
  /** A pass or a fail says little by itself: shares are those of cases, everything else is of single trials. */
  readonly of: 'case' | 'trial';
  readonly a: SideDots | null;
  readonly b: SideDots | null;
}

/** Values and cases for the pictures and lists of a page. */
export interface ComparisonDetails {
  readonly dots: readonly FigureDots[];
  /** Cases that ended the same way, the first few: their steps may differ all the same. */
  readonly unchangedCases: readonly ComparedCase[];
  readonly unchangedCount: number;
}

/** Something about the two sides that makes their figures hard or impossible to compare. */
export interface Difference {
  readonly what:
    | 'input'
    | 'scenario'
    | 'subject'
    | 'agent'
    | 'model'
    | 'variant'
    | 'judge'
    | 'rubric'
    | 'instructions'
    | 'view'
    | 'control'
    | 'tools'
    | 'assay'
    | 'repeats'
    | 'cases';
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

export interface Comparison<Cases extends Rows<ChangedCase> = readonly ChangedCase[]> {
  readonly schema: 'assay.compare/1';
  /** Of the first figure, which is the pass rate unless another was requested, for tasks like these. */
  readonly answer: FigureAnswer | 'not-comparable' | 'nothing-to-compare';
  /** The same on exactly these tasks: `worse` where a case broke and none was fixed; null where nothing was compared. */
  readonly answerOnTheseTasks: FigureAnswer | null;
  /** Both answers, one sentence each, and the other figures that changed on these tasks. */
  readonly summary: string;
  /** Whether figures are reported in spite of a decisive difference. */
  readonly isForced: boolean;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Differences other than the results; with a decisive one there are no answers unless they were forced. */
  readonly differences: readonly Difference[];
  /** The outcome first, then every other figure. */
  readonly metrics: readonly MetricComparison[];
  /** Precision and recall of skills, where prompts were tried that should and should not trigger them. */
  readonly triggering?: { readonly a: SkillTriggering; readonly b: SkillTriggering } | undefined;
  /** The most important first. */
  readonly changedCases: Cases;
  /** Present where it was requested. */
  readonly details?: ComparisonDetails | undefined;
  readonly subcommands: readonly SubcommandComparison[];
  /** Present where a judge compared the answers. */
  readonly judged?: PairwiseComparison | undefined;
  readonly diagnosis: readonly { readonly side: 'a' | 'b'; readonly findings: readonly DiagnosisFinding[] }[];
  /** Limits of the comparison, as sentences for its reader. */
  readonly notes: readonly string[];
}

/** The same with changed cases that are made as they are read: a list of those of a large run takes more than all the rest. */
export type ComparisonOfRows = Comparison<Rows<ChangedCase>>;

/** One pattern that was found, with its evidence. */
export interface DiagnosisFinding extends DiagnosticPattern {
  /** The subcommand concerned, where it is about one. */
  readonly subcommand: string | undefined;
  /** The numbers behind it, in words. */
  readonly evidence: string;
  readonly commands: readonly CausingCommand[];
}

/** A command that a finding rests on. */
export interface CausingCommand {
  readonly trialId: string;
  readonly repeat: number;
  readonly command: ToolCommand;
}
