import type { FigureAnswer, MetricComparison } from '../comparison.ts';
import { isChange } from '../figure-words.ts';

/** The answer of a figure: of the mean, of typical trials, or of these few cases alone. */
export function pairAnswer({ answer, typical, within }: MetricComparison): FigureAnswer {
  const answers = [answer, typical?.answer, within?.answer].filter((each) => each !== undefined);
  return answers.find(isChange) ?? answers.find((each) => each === 'no-difference') ?? 'not-enough-data';
}

/** The p-value that belongs to the answer. */
export function pairPValue({ pValue, typical, within }: MetricComparison): number {
  return within?.pValue ?? typical?.pValue ?? pValue;
}

/** Whether the answer holds for these few cases alone. */
export function isOnTheseCases({ answer, typical, within }: MetricComparison): boolean {
  return within !== null && answer === 'not-enough-data' && (typical?.answer ?? answer) === 'not-enough-data';
}
