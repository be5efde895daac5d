import type { Variant } from '../domain/trial.ts';
import type { CollectedSide } from '../report/compare/collected-side.ts';
import { knownVariant, twoVariants } from './two-variants.ts';

/** Two sides, and how many pairs of variants they were chosen from. */
export interface TwoSides {
  readonly a: CollectedSide;
  readonly b: CollectedSide;
  readonly pairsOfVariants: number;
}

/** Two variants of a run: those that were named, or the only two that there are. */
export function twoSides(
  sides: readonly CollectedSide[],
  part: keyof Variant,
  { a, b }: { readonly a?: string | undefined; readonly b?: string | undefined },
): TwoSides {
  const labels = sides.map(({ label }) => label);
  const named = (label: string): CollectedSide =>
    sides[labels.indexOf(knownVariant(label, labels, part))] as CollectedSide;
  const [first, second] = twoVariants(labels, part, a, b);
  // Whoever looks at the best and the worst of ten variants has looked at all pairs of them.
  return { a: named(first), b: named(second), pairsOfVariants: (sides.length * (sides.length - 1)) / 2 };
}
