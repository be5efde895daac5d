import type { FigureAnswer, MetricComparison } from '../comparison.ts';
import { isChange, onlyTheseTasks } from '../figure-words.ts';

/** The answer of a figure: of the mean, of typical trials, or of these few cases alone. */
export function pairAnswer(metric: MetricComparison): FigureAnswer {
  const { answer, typical } = metric;
  const answers = [answer, typical?.answer, onlyTheseTasks(metric)?.answer].filter((each) => each !== undefined);
  return answers.find(isChange) ?? answers.find((each) => each === 'no-difference') ?? 'not-enough-data';
}

/** The p-value that belongs to the answer. */
export function pairPValue(metric: MetricComparison): number {
  return (onlyTheseTasks(metric) ?? metric.typical ?? metric).pValue;
}

/** Whether the answer holds for these few cases alone. */
export function isOnTheseCases(metric: MetricComparison): boolean {
  const { answer, typical } = metric;
  return (
    onlyTheseTasks(metric) !== null && answer === 'not-enough-data' && (typical?.answer ?? answer) === 'not-enough-data'
  );
}
