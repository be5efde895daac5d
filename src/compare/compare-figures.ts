import { answerOf, comparePairs, type PairedCase, type PairedComparison } from '../stats/compare-pairs.ts';
import { holm } from '../stats/holm.ts';
import type { FigureAnswer, MetricComparison } from './comparison.ts';
import { decisionPlan, type MeanTrial } from './decision-plan.ts';
import { definitionOf, type FigureDefinition, type FigureOptions, smallestDifferenceOf } from './figure-definitions.ts';
import type { CasePair } from './pair-cases.ts';

/** The figures that come first, in this order; all others follow by name. */
const firstFigures = [
  'pass-rate',
  'judge-score',
  'composite-score',
  'workflow-score',
  'cost-usd',
  'duration-ms',
  'tokens',
];

/** Which figures are looked at: all, or only those named, of which the first is the question that is asked. */
export interface FigureChoice extends FigureOptions {
  readonly only?: readonly string[] | undefined;
}

interface Compared {
  readonly name: string;
  readonly definition: FigureDefinition;
  readonly smallestDifference: number;
  readonly repeats: { readonly fewest: number; readonly most: number };
  readonly comparison: PairedComparison;
}

/**
 * Every figure that both sides have. The first is the question that is asked, and its p-value stands as it is; the
 * others are looked at beside it, and theirs are corrected for looking at so many (Holm over all figures).
 */
export function compareFigures(
  pairs: readonly CasePair[],
  choice: FigureChoice,
  trial: MeanTrial | null,
): MetricComparison[] {
  const compared = figureNames(pairs, choice).flatMap((name) => comparedFigure(name, pairs, choice) ?? []);
  const adjusted = holm(compared.map(({ comparison }) => comparison.pValue));
  return compared.map((one, index) => {
    const adjustedP = index === 0 ? one.comparison.pValue : (adjusted[index] ?? 1);
    return metricOf(one, adjustedP, trial);
  });
}

/** The names of all figures that any case has, the important first; those asked for, where some were. */
export function figureNames(pairs: readonly CasePair[], { only }: FigureChoice): string[] {
  const names = new Set<string>();
  for (const { a, b } of pairs)
    for (const side of [a, b]) for (const name of side?.figures.keys() ?? []) names.add(name);
  if (only) return [...new Set(only)].filter((name) => names.has(name));
  const first = firstFigures.filter((name) => names.has(name));
  return [...first, ...[...names].filter((name) => !firstFigures.includes(name)).sort()];
}

/** Undefined where no case has the figure on both sides, or where it is 0 throughout and says nothing. */
function comparedFigure(name: string, pairs: readonly CasePair[], options: FigureOptions): Compared | undefined {
  const cases = pairs.flatMap(({ a, b }): PairedCase[] => {
    const [valuesA, valuesB] = [a?.figures.get(name), b?.figures.get(name)];
    return valuesA && valuesB ? [{ a: valuesA, b: valuesB }] : [];
  });
  if (cases.length === 0) return undefined;
  const definition = definitionOf(name, options);
  if (name !== 'pass-rate' && cases.every(({ a, b }) => [...a, ...b].every((value) => value === 0))) return undefined;
  const means = [meanOfMeans(cases.map(({ a }) => a)), meanOfMeans(cases.map(({ b }) => b))] as const;
  const smallestDifference = smallestDifferenceOf(definition, ...means);
  const comparison = comparePairs(cases, { smallestDifference, largestDifference: largestOf(definition, cases) });
  return comparison && { name, definition, smallestDifference, repeats: repeatsOf(cases), comparison };
}

/** A share lies between 0 and 1; what is called one and does not has no known bound. */
function largestOf({ unit }: FigureDefinition, cases: readonly PairedCase[]): number | undefined {
  const isShare = ({ a, b }: PairedCase): boolean => [...a, ...b].every((value) => value >= 0 && value <= 1);
  return unit === 'share' && cases.every(isShare) ? 1 : undefined;
}

function metricOf(compared: Compared, adjustedP: number, trial: MeanTrial | null): MetricComparison {
  const { name, definition, smallestDifference, repeats, comparison } = compared;
  const { plan: _, ...figures } = comparison;
  const answer = figureAnswer(compared, adjustedP);
  const largestDifference = definition.unit === 'share' ? 1 : undefined;
  const observed = { comparison, smallestDifference, largestDifference, repeats: repeats.fewest };
  return {
    name,
    unit: definition.unit,
    isHigherBetter: definition.isHigherBetter,
    smallestDifference,
    repeats,
    ...figures,
    adjustedP,
    answer,
    plan: answer === 'not-enough-data' ? decisionPlan(observed, trial) : undefined,
  };
}

function figureAnswer({ definition, smallestDifference, comparison }: Compared, pValue: number): FigureAnswer {
  const { isHigherBetter } = definition;
  const answer = answerOf(comparison, pValue, { smallestDifference, isHigherBetter: isHigherBetter ?? true });
  if (isHigherBetter !== null) return answer;
  return answer === 'better' ? 'higher' : answer === 'worse' ? 'lower' : answer;
}

function repeatsOf(cases: readonly PairedCase[]): { fewest: number; most: number } {
  let [fewest, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { a, b } of cases) {
    fewest = Math.min(fewest, a.length, b.length);
    most = Math.max(most, a.length, b.length);
  }
  return { fewest, most };
}

function meanOfMeans(values: readonly (readonly number[])[]): number {
  const means = values.map((each) => each.reduce((sum, value) => sum + value, 0) / each.length);
  return means.reduce((sum, value) => sum + value, 0) / means.length;
}
