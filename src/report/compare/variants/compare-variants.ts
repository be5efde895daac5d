import { holmLevels } from '../../../shared/stats/sign-test.ts';
import type { CollectedSide } from '../collected-side.ts';
import { type FigureChoice, figureNames } from '../compare-figures.ts';
import type { MetricComparison } from '../comparison.ts';
import { type ComparedPair, comparedPair } from './compared-pairs.ts';
import { pairPValue } from './pair-answers.ts';
import { frontFigures, frontPlaces } from './pareto-front.ts';
import { partInteractions } from './part-interactions.ts';
import { bestVariants, errorRate, PairsOfVariants, rankRanges } from './rank-variants.ts';
import { simpsonTraps } from './simpson-traps.ts';
import {
  type MeasuredSide,
  measuredSide,
  reasonForNone,
  type Spending,
  spendingsOf,
  spentPerSuccess,
  variantFigure,
} from './variant-figures.ts';
import { variantNotes } from './variant-notes.ts';
import type { ComparedBy, DecidedArm, VariantRow, VariantTable } from './variant-table.ts';
import { rowNoun } from './variant-words.ts';

/** How the variants of a run, or several runs, are put side by side. */
export interface VariantChoice extends Omit<FigureChoice, 'pairsOfVariants' | 'level'> {
  readonly by: ComparedBy;
  /** The label of the variant that the others are compared with; by default the first. */
  readonly reference?: string | undefined;
  readonly force?: boolean | undefined;
  /** Of an experiment by the same part: the level of its last look, and its own answers against the reference. */
  readonly experiment?:
    | { readonly level: number; readonly metric: string; readonly arms: ReadonlyMap<string, DecidedArm> }
    | undefined;
}

/** All variants of a run in one table. There must be two or more. */
export function compareVariants(sides: readonly CollectedSide[], choice: VariantChoice): VariantTable {
  const reference = sides.find(({ label }) => label === choice.reference) ?? sides[0];
  if (!reference) throw new Error('there are no variants');
  const names = namesOf(sides, choice);
  const question = choice.experiment?.metric ?? names[0] ?? 'pass-rate';
  const others = sides.filter((side) => side !== reference);
  const against = new Map(comparedWithReference(reference, others, question, choice));
  const pairs = everyPair(sides, question, choice);
  if (choice.experiment) useAnswersOfExperiment(pairs, reference.label, question, against);
  const measured = sides.map(measuredSide);
  const { spent, reasons } = spendingsOf(measured);
  const rows = rowsOf({ sides: measured, reference, names, question, spent, against, pairs, choice });
  const variants = bestFirst(rows, question);
  const labels = variants.map(({ label }) => label);
  const noun = rowNoun(choice.by);
  const best = bestVariants(labels, question, pairs, rankRanges(labels, question, pairs), noun);
  return {
    schema: 'assay.variants/1',
    run: { runId: reference.run.runId, startedAt: reference.run.startedAt },
    by: choice.by,
    reference: reference.label,
    question,
    summary: best.summary,
    isForced: [...against.values()].some(({ isForced }) => isForced),
    best,
    variants,
    interactions: partInteractions(reference, others, choice.by, question, choice),
    traps: others.flatMap((side) => {
      const metric = against.get(side.label)?.metrics.find(({ name }) => name === question);
      return metric ? simpsonTraps(reference, side, choice.by, metric) : [];
    }),
    notes: variantNotes({
      ...{ sides, variants, question, noun, unspent: reasons },
      isExperiment: choice.experiment !== undefined,
    }),
  };
}

/** At a level for as many comparisons as each variant has. */
function everyPair(sides: readonly CollectedSide[], question: string, choice: VariantChoice): PairsOfVariants {
  const level = choice.experiment?.level ?? errorRate / Math.max(1, sides.length - 1);
  return new PairsOfVariants(sides, { ...choice, only: [...new Set([question, ...frontFigures])], level });
}

interface RowParts {
  readonly sides: readonly MeasuredSide[];
  readonly reference: CollectedSide;
  readonly names: readonly string[];
  readonly question: string;
  readonly spent: readonly Spending[];
  readonly against: ReadonlyMap<string, ComparedPair>;
  readonly pairs: PairsOfVariants;
  readonly choice: VariantChoice;
}

function rowsOf({ sides, reference, names, question, spent, against, pairs, choice }: RowParts): VariantRow[] {
  const measured = sides.map((own) => ({
    own,
    side: own.side,
    label: own.side.label,
    figures: names.flatMap((name) => variantFigure(name, own, choice) ?? []),
    isKnown: (name: string) => reasonForNone(name, own) === null,
  }));
  const labels = measured.map(({ label }) => label);
  const ranges = rankRanges(labels, question, pairs);
  const fronts = frontPlaces(measured, question, pairs);
  return measured.map(({ own, side, label, figures }) => ({
    label,
    isReference: side === reference,
    trials: side.totals.trials,
    unjudged: side.totals.unjudged,
    costUsd: side.totals.costUsd,
    figures,
    perSuccess: spentPerSuccess(own, spent),
    rank: ranges.get(label) ?? null,
    differences: against.get(label)?.metrics ?? [],
    notComparable: against.get(label)?.refusal ?? null,
    front: fronts.get(label) ?? [],
  }));
}

/** Every figure of any variant, the important first; without those that are 0 under every variant. */
function namesOf(sides: readonly CollectedSide[], choice: VariantChoice): string[] {
  const cases = sides.flatMap(({ cases: own }) => Array.from(own, (one) => ({ a: one, b: undefined })));
  const hasValue = (name: string): boolean => cases.some(({ a }) => a.figures.get(name)?.some((value) => value !== 0));
  return figureNames(cases, choice).filter((name) => name === 'pass-rate' || hasValue(name));
}

/**
 * Each other variant against the reference. Holm decides for each figure at which level a variant is compared, and the
 * intervals have the same levels, so they exclude 0 exactly where Holm rejects. An experiment has its own level.
 */
function comparedWithReference(
  reference: CollectedSide,
  others: readonly CollectedSide[],
  question: string,
  choice: VariantChoice,
): (readonly [string, ComparedPair])[] {
  const { experiment } = choice;
  const compared = (side: CollectedSide, level: number | ((figure: string) => number)): ComparedPair =>
    comparedPair(reference, side, { ...choice, level });
  if (experiment) {
    return others.map((side) => {
      const pair = compared(side, experiment.level);
      const arm = experiment.arms.get(side.label);
      const metrics = pair.metrics.map((metric) => (arm && metric.name === question ? asDecided(metric, arm) : metric));
      return [side.label, { ...pair, metrics }];
    });
  }
  const unadjusted = others.map((side) => compared(side, errorRate));
  const levels = levelsOf(unadjusted);
  return others.map((side, index) => {
    const levelOf = (figure: string): number => levels.get(figure)?.[index] ?? errorRate;
    const first = unadjusted[index];
    // At the same level the answers are the same, as where there is one other variant only.
    const isSame = first?.metrics.every(({ name }) => levelOf(name) === errorRate);
    return [side.label, first && isSame ? first : compared(side, levelOf)];
  });
}

/** By figure, one level for each variant. */
function levelsOf(pairs: readonly ComparedPair[]): ReadonlyMap<string, readonly number[]> {
  const names = new Set(pairs.flatMap(({ metrics }) => metrics.map(({ name }) => name)));
  return new Map(
    [...names].map((name) => {
      const pValues = pairs.map(({ metrics }) => {
        const metric = metrics.find((each) => each.name === name);
        return metric ? pairPValue(metric) : 1;
      });
      return [name, holmLevels(pValues, errorRate)];
    }),
  );
}

/** The experiment decided with the trials of an earlier look, at its level. */
function asDecided(
  metric: MetricComparison,
  { answer, difference, interval, isOnTheseCases }: DecidedArm,
): MetricComparison {
  const { onTheseTasks, typical } = metric;
  if (isOnTheseCases) {
    return { ...metric, onTheseTasks: { ...onTheseTasks, difference, interval: interval ?? undefined, answer } };
  }
  if (typical) return { ...metric, typical: { ...typical, answer } };
  return { ...metric, difference, interval: interval ?? undefined, answer };
}

function useAnswersOfExperiment(
  pairs: PairsOfVariants,
  reference: string,
  question: string,
  against: ReadonlyMap<string, ComparedPair>,
): void {
  for (const [label, { metrics }] of against) {
    const metric = metrics.find(({ name }) => name === question);
    if (metric) pairs.replace(reference, label, metric);
  }
}

/** By the mean of the main figure; as they come where neither direction is better. */
function bestFirst(rows: readonly VariantRow[], question: string): VariantRow[] {
  const placeOf = ({ figures }: VariantRow): number => {
    const figure = figures.find(({ name }) => name === question);
    if (!figure) return Number.NEGATIVE_INFINITY;
    return figure.isHigherBetter === null ? 0 : figure.isHigherBetter ? figure.mean : -figure.mean;
  };
  return rows.toSorted((a, b) => {
    const [first, second] = [placeOf(a), placeOf(b)];
    return first === second ? 0 : second - first;
  });
}
