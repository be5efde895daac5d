import type { MetricComparison } from '../comparison.ts';
import { answerText, changeText, figureText, intervalText, onTheseTasksText } from '../figure-words.ts';
import { isOnTheseCases } from './pair-answers.ts';
import type { ComparedBy, FrontPlace, SpentPerSuccess, VariantFigure, VariantRow } from './variant-table.ts';

/** The word for a row of the table: several runs are compared as variants of one run are. */
export function rowNoun(by: ComparedBy): 'run' | 'variant' {
  return by === 'run' ? 'run' : 'variant';
}

/** `82 % (70 % to 90 %)`; the mean alone where there is no interval. */
export function estimateText({ mean, interval, unit }: VariantFigure): string {
  const range = interval && ` (${figureText(interval.low, unit)} to ${figureText(interval.high, unit)})`;
  return `${figureText(mean, unit)}${range ?? ''}`;
}

/** `1`, `2 to 3`; a dash where a variant was not compared. */
export function rankText({ rank }: Pick<VariantRow, 'rank'>): string {
  if (!rank) return '–';
  return rank.best === rank.worst ? String(rank.best) : `${rank.best} to ${rank.worst}`;
}

/** `$0.12 ($0.09 to $0.2)`, or why there is no value. */
export function perSuccessText({ value, interval, unit, reason }: SpentPerSuccess): string {
  if (value === null) {
    const least = interval ? `, more than ${figureText(interval.low, unit)}` : '';
    return `${reason ?? 'unknown'}${least}`;
  }
  if (!interval) return figureText(value, unit);
  const { low, high } = interval;
  const range =
    high === null ? `from ${figureText(low, unit)}` : `${figureText(low, unit)} to ${figureText(high, unit)}`;
  return `${figureText(value, unit)} (${range})`;
}

/** The change against the reference, with its interval: `+17 (5 to 29)`, `+30 % (+10 % to +50 %)`. */
export function againstText(metric: MetricComparison): string {
  return `${changeText(metric)} (${intervalText(metric)})`;
}

/** The answer against the reference; for a few cases, the answer on those. */
export function againstAnswer(metric: MetricComparison): string {
  const onThese =
    isOnTheseCases(metric) && metric.onTheseTasks.answer !== 'not-enough-data' ? onTheseTasksText(metric) : undefined;
  return onThese ?? answerText(metric);
}

/** `on the front`, `dominated by clear`, `dominated by clear beyond chance`. */
export function frontText({ isOnFront, dominatedBy, certainlyDominatedBy }: FrontPlace): string {
  if (isOnFront) return 'on the front';
  if (certainlyDominatedBy.length > 0) return `dominated by ${certainlyDominatedBy.join(', ')} beyond chance`;
  return `dominated by ${dominatedBy.join(', ')}, by the means`;
}

/** Names of the figures that are weighed against the main one. */
export const frontNames: Readonly<Record<FrontPlace['against'], string>> = {
  'cost-usd': 'cost',
  'duration-ms': 'time',
};

/** The figure of a row by its name. */
export function figureIn({ figures }: Pick<VariantRow, 'figures'>, name: string): VariantFigure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** Names of all figures that any variant has, the main one first. */
export function figureNamesIn(variants: readonly VariantRow[], question: string): string[] {
  const names = new Set(variants.flatMap(({ figures }) => figures.map(({ name }) => name)));
  return [...new Set([...(names.has(question) ? [question] : []), ...names])];
}
