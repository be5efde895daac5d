import type { Variant } from '../../../domain/variant.ts';
import type { Interval } from '../../../shared/stats/pass-rate.ts';
import type { ComparedSide, FigureAnswer, FigureUnit, MetricComparison } from '../comparison.ts';

/** A figure of one variant, over its own cases. */
export interface VariantFigure {
  readonly name: string;
  readonly unit: FigureUnit;
  readonly isHigherBetter: boolean | null;
  readonly mean: number;
  /** 95 %, for cases like these; undefined where there are too few. */
  readonly interval: Interval | undefined;
  readonly cases: number;
  readonly trials: number;
}

/** Money, tokens or time per success: the mean of all judged trials divided by the share that passes. */
export interface SpentPerSuccess {
  readonly name: 'cost-usd' | 'duration-ms' | 'tokens';
  readonly unit: FigureUnit;
  /** Null where nothing passed, or where trials did not report it. */
  readonly value: number | null;
  /** 95 %; `high` is null where it has no upper end, as where nothing passed. */
  readonly interval: { readonly low: number; readonly high: number | null } | null;
  /** Why there is no value. */
  readonly reason: string | null;
}

/** The places that a variant may have among all, by the main figure; 1 is the best. */
export interface RankRange {
  readonly best: number;
  readonly worst: number;
}

/** A figure against which the quality is weighed. */
export type FrontFigure = 'cost-usd' | 'duration-ms';

/** Where a variant stands between quality and what it takes. */
export interface FrontPlace {
  readonly against: FrontFigure;
  /** By the means: no other variant is at least as good and takes as little, with one of both strictly. */
  readonly isOnFront: boolean;
  /** Variants that are at least as good and take no more, by the means. */
  readonly dominatedBy: readonly string[];
  /** Those of them that differ beyond chance in one of both, and are not worse in the other. */
  readonly certainlyDominatedBy: readonly string[];
}

/** One variant in the table of all. */
export interface VariantRow {
  readonly label: string;
  readonly isReference: boolean;
  readonly trials: number;
  /** Trials that could not be judged: they count for neither outcome. */
  readonly unjudged: number;
  readonly costUsd: number | null;
  readonly figures: readonly VariantFigure[];
  readonly perSuccess: readonly SpentPerSuccess[];
  /** Null where the main figure was not compared with any other variant. */
  readonly rank: RankRange | null;
  /** Figures of the reference (A) and this variant (B), paired by case; empty for the reference. */
  readonly differences: readonly MetricComparison[];
  /** Why it cannot be compared with the reference; null where it can. */
  readonly notComparable: string | null;
  readonly front: readonly FrontPlace[];
}

/** Which variants may be the best by the main figure. */
export interface BestVariants {
  /** `one`: it is better than each other; `several`: the best is among them; `none`: nothing was compared. */
  readonly kind: 'one' | 'several' | 'none';
  /** In the order of the table. */
  readonly labels: readonly string[];
  /** How often a comparison like this leaves out the best variant, at most. */
  readonly errorRate: number;
  /** Whether those that may be the best are known to be without a difference that matters. */
  readonly isEquivalent: boolean;
  /** The statement holds for these few cases, and not for others like them. */
  readonly isOnTheseCases: boolean;
  /** The statement in one sentence. */
  readonly summary: string;
}

/** How a change of the compared part differs between two values of another part. */
export interface PartInteraction {
  readonly part: keyof Variant;
  /** The variant whose difference to the reference is looked at. */
  readonly label: string;
  readonly values: readonly [string, string];
  /** Difference of the main figure to the reference at either value. */
  readonly differences: readonly [number, number];
  /** Of the second less the first. */
  readonly change: number;
  readonly interval: Interval | undefined;
  /** After Holm's correction for all interactions. */
  readonly adjustedP: number;
  /** Beyond chance: the part that is compared does not do the same at both values. */
  readonly isCertain: boolean;
  readonly isOpposite: boolean;
  readonly summary: string;
}

/** A total that says the opposite of what its parts say. */
export interface SimpsonTrap {
  readonly label: string;
  /** `cases`: all trials together against case by case; otherwise the parts that all say the opposite of the total. */
  readonly by: 'cases' | 'scenario' | keyof Variant;
  /** Of all trials together. */
  readonly pooled: number;
  /** Case by case, or the smallest of the parts in size. */
  readonly paired: number;
  readonly summary: string;
}

/** The part of the variants that is compared; `run`: whole runs are. */
export type ComparedBy = keyof Variant | 'run';

/** All variants of a run in one table, or several runs. */
export interface VariantTable {
  readonly schema: 'assay.variants/1';
  readonly run: Pick<ComparedSide, 'runId' | 'startedAt'>;
  readonly by: ComparedBy;
  readonly reference: string;
  /** The main figure, by which variants are ranked. */
  readonly question: string;
  readonly summary: string;
  readonly isForced: boolean;
  readonly best: BestVariants;
  /** The best first, by the mean of the main figure. */
  readonly variants: readonly VariantRow[];
  readonly interactions: readonly PartInteraction[];
  readonly traps: readonly SimpsonTrap[];
  readonly notes: readonly string[];
}

/** How the experiment itself compared a variant with the reference. */
export interface DecidedArm {
  readonly answer: FigureAnswer;
  readonly difference: number;
  readonly interval: Interval | null;
  readonly isOnTheseCases: boolean;
}
