import type { CollectedSide } from '../compare/collected-side.ts';
import type { Variant } from '../domain/trial.ts';
import { knownVariant, twoVariants } from './two-variants.ts';

/** Two variants of a run: those that were named, or the only two that there are. */
export function twoSides(
  sides: readonly CollectedSide[],
  part: keyof Variant,
  { a, b }: { readonly a?: string | undefined; readonly b?: string | undefined },
): readonly [CollectedSide, CollectedSide] {
  const labels = sides.map(({ label }) => label);
  const named = (label: string): CollectedSide =>
    sides[labels.indexOf(knownVariant(label, labels, part))] as CollectedSide;
  const [first, second] = twoVariants(labels, part, a, b);
  return [named(first), named(second)];
}
