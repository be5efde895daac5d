import { collected, findSide, storedSource } from '../../compose/compare/find-side.ts';
import { twoSides } from '../../compose/compare/two-sides.ts';
import { AssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/trial.ts';
import { collectSide, collectSidesBy } from '../../report/compare/collect-side.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import type { Comparison } from '../../report/compare/comparison.ts';
import type { OpenPlaces } from './side-places.ts';

/** What a report puts side by side. */
export interface ReportedSides {
  /** Another run, which is what was; the reported one is what is new. */
  readonly compare?: string;
  /** Or the variants of the reported run by this part. */
  readonly by?: keyof Variant;
  readonly a?: string;
  readonly b?: string;
  readonly force?: boolean;
}

/** The comparison that a report was asked for. */
export async function reportComparison(
  sides: ReportedSides,
  run: RunHeader,
  places: OpenPlaces,
): Promise<Comparison | undefined> {
  const { compare, by, force } = sides;
  if (by === undefined && (sides.a ?? sides.b) !== undefined)
    throw new AssayError('USAGE', '--a and --b name variants, and need --by.');
  if (by !== undefined && compare !== undefined)
    throw new AssayError('USAGE', 'A report has one comparison: with another run, or by a part of the variants.');
  const source = storedSource(run, await places.openStore());
  if (by !== undefined) {
    const { a, b, pairsOfVariants } = twoSides([...(await collectSidesBy(source, by)).values()], by, sides);
    return compareCollected(a, b, { force, pairsOfVariants });
  }
  if (compare === undefined) return undefined;
  return compareCollected(await collected(await findSide(compare, places)), await collectSide(source), { force });
}
