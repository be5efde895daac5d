import type { CollectedSide } from '../collected-side.ts';
import { compareFigures, type FigureChoice } from '../compare-figures.ts';
import type { MetricComparison } from '../comparison.ts';
import { timeCaution } from '../comparison-notes.ts';
import { meanTrial } from '../decision-plan.ts';
import { pairCases } from '../pair-cases.ts';
import { sideDifferences } from '../side-differences.ts';

/** Two variants, compared case by case. */
export interface ComparedPair {
  /** Empty where they cannot be compared. */
  readonly metrics: readonly MetricComparison[];
  readonly refusal: string | null;
  readonly isForced: boolean;
}

export function comparedPair(
  a: CollectedSide,
  b: CollectedSide,
  choice: FigureChoice & { readonly force?: boolean | undefined },
): ComparedPair {
  const paired = pairCases(a, b);
  const decisive = sideDifferences(a, b, paired).filter(({ isDecisive }) => isDecisive);
  const isForced = decisive.length > 0 && choice.force === true && !decisive.some(({ what }) => what === 'input');
  if (decisive.length > 0 && !isForced) {
    return { metrics: [], refusal: decisive.map(({ message }) => message).join('; '), isForced };
  }
  const metrics = compareFigures(paired.pairs, choice, meanTrial([a.totals, b.totals]), timeCaution(a, b));
  return { metrics, refusal: null, isForced };
}
