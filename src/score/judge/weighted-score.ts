import type { RubricCriterion } from '../../domain/rubric.ts';

const reportedDifference = 0.01;
const roundingError = 1e-9;

/** Sum of weight times score over the sum of the weights, without the dust that adding fractions leaves. */
export function weightedScore(
  criteria: readonly Pick<RubricCriterion, 'id' | 'weight'>[],
  scoreOf: (id: string) => number,
): number {
  const weights = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const weighted = criteria.reduce((sum, { id, weight }) => sum + weight * scoreOf(id), 0);
  return Number((weighted / weights).toFixed(9));
}

/** A warning when the judge's own sum is off by more than rounding. */
export function sumWarning(reported: number, recomputed: number): string | undefined {
  if (Math.abs(reported - recomputed) <= reportedDifference + roundingError) return undefined;
  return `The judge's own weighted score ${reported} differs from the recomputed ${recomputed}`;
}
