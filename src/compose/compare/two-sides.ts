import { AssayError } from '../../domain/errors.ts';
import type { Variant } from '../../domain/variant.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { suggestion } from '../../shared/suggest.ts';

/** The requested values; where a run has exactly two, an omitted one is the other. */
export function twoVariants(
  values: readonly string[],
  part: string,
  a: string | undefined,
  b: string | undefined,
): readonly [string, string] {
  const otherThan = (taken: string | undefined): string | undefined => values.find((value) => value !== taken);
  const isClear = values.length === 2 || (a !== undefined && b !== undefined);
  const [first, second] = [a ?? otherThan(b), b ?? otherThan(a ?? values[0])];
  if (isClear && first !== undefined && second !== undefined) return [first, second];
  throw new AssayError(
    'USAGE',
    `The run has ${values.length === 1 ? 'one variant' : `${values.length} variants`} by ${part}.`,
    {
      hint: values.length < 2 ? 'Compare two runs instead.' : `Name two with --a and --b: ${values.join(', ')}.`,
    },
  );
}

/** The only variant there is, where none was named. */
export function onlyVariant(values: readonly string[], part: string, flag: 'a' | 'b'): string {
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return only;
  throw new AssayError('USAGE', `The run has ${values.length} variants by ${part}.`, {
    hint: `Name one with --${flag}: ${values.join(', ')}.`,
  });
}

/** The variant, if there is one of that name. */
export function knownVariant(value: string, values: readonly string[], part: string): string {
  if (values.includes(value)) return value;
  throw new AssayError('NOT_FOUND', `The run has no ${part} "${value}".`, { hint: suggestion(value, values) });
}

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
  // Picking the best and the worst of ten variants compares all pairs of them.
  return { a: named(first), b: named(second), pairsOfVariants: (sides.length * (sides.length - 1)) / 2 };
}
