import type { FigureAnswer } from '../comparison.ts';
import type { PairsOfVariants } from './rank-variants.ts';
import type { FrontFigure, FrontPlace, VariantFigure } from './variant-table.ts';

/** A variant with its figures. */
interface Placed {
  readonly label: string;
  readonly figures: readonly VariantFigure[];
  /** Whether every judged trial has the figure: the mean of some trials is not that of all. */
  readonly isKnown: (figure: string) => boolean;
}

export const frontFigures: readonly FrontFigure[] = ['cost-usd', 'duration-ms'];

/** Where each variant stands between the main figure and what it takes; empty where a figure is not known. */
export function frontPlaces(
  variants: readonly Placed[],
  question: string,
  pairs: PairsOfVariants,
): ReadonlyMap<string, FrontPlace[]> {
  const places = new Map<string, FrontPlace[]>(variants.map(({ label }) => [label, []]));
  for (const against of frontFigures) {
    if (against === question) continue;
    const points = variants.flatMap((variant) => pointOf(variant, question, against) ?? []);
    for (const point of points) {
      const dominating = points.filter((other) => dominates(other, point)).map(({ label }) => label);
      places.get(point.label)?.push({
        against,
        isOnFront: dominating.length === 0,
        dominatedBy: dominating,
        certainlyDominatedBy: dominating.filter((other) =>
          isCertain(pairs.answerOf(question, point.label, other), pairs.answerOf(against, point.label, other)),
        ),
      });
    }
  }
  return places;
}

interface Point {
  readonly label: string;
  /** Higher is better. */
  readonly quality: number;
  /** Lower is better. */
  readonly spent: number;
}

function pointOf({ label, figures, isKnown }: Placed, question: string, against: FrontFigure): Point | undefined {
  const quality = figures.find(({ name }) => name === question);
  const spent = figures.find(({ name }) => name === against);
  if (!quality || !spent || !isKnown(against) || quality.isHigherBetter === null) return undefined;
  return { label, quality: quality.isHigherBetter ? quality.mean : -quality.mean, spent: spent.mean };
}

function dominates(one: Point, other: Point): boolean {
  const isAsGood = one.quality >= other.quality && one.spent <= other.spent;
  return isAsGood && (one.quality > other.quality || one.spent < other.spent);
}

/** Better in one, and better or without a difference that matters in the other. */
function isCertain(quality: FigureAnswer | undefined, spent: FigureAnswer | undefined): boolean {
  const answers = [quality, spent];
  return answers.includes('better') && answers.every((answer) => answer === 'better' || answer === 'no-difference');
}
