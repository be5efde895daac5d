import type * as z from 'zod';
import { knownVariant } from '../../../compose/compare/two-sides.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { firstCases } from '../../../report/compare/changed-cases.ts';
import type { CollectedSide } from '../../../report/compare/collected-side.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { Comparison, ComparisonOfRows } from '../../../report/compare/comparison.ts';
import type { PairwiseCounts } from '../../../report/compare/judged-pairs.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import { isExperimentBy, sidesOfRun, tableOfSides } from '../../../report/compare/variants/variants-of-run.ts';
import type { severalRunsQuery, variantsQuery } from '../api/trials.ts';
import { Refusal } from '../refusal.ts';
import { type CollectAside, type ComparedQuery, sidesOf } from '../runs/compared-sides.ts';
import { readSide, readSidesBy } from '../summaries/kept-sides.ts';

/** Two runs, or two variants of one, to compare. */
export interface ComparedRuns {
  readonly a: RunHeader;
  readonly b: RunHeader;
  readonly query: ComparedQuery;
  /** Preferences of a judge that compared the answers. */
  readonly judged?: PairwiseCounts | undefined;
}

/** Two runs, or two variants of one, side by side. */
export async function compareRuns(
  store: Store,
  { query, judged, ...runs }: ComparedRuns,
  collectAside?: CollectAside,
): Promise<Comparison> {
  const { a, b, pairsOfVariants } = await sidesOf(runs, query, { store, collectAside });
  return withFirstCases(compareCollected(a, b, { force: query.force, pairsOfVariants, judged, withDetails: true }));
}

/** A page does not need more. */
const mostCases = 2_000;

function withFirstCases(comparison: ComparisonOfRows): Comparison {
  const { changedCases, notes } = comparison;
  const note = `Only ${mostCases} of ${changedCases.length} changed cases are listed; \`assay compare\` lists all.`;
  return {
    ...comparison,
    changedCases: firstCases(changedCases, mostCases),
    notes: changedCases.length <= mostCases ? notes : [...notes, note],
  };
}

/** A run whose variants are compared. */
export interface ComparedVariants {
  readonly run: RunHeader;
  readonly query: Omit<z.output<typeof variantsQuery>, 'run'>;
}

/** All variants of one run. */
export async function compareVariants(store: Store, { run, query }: ComparedVariants): Promise<VariantTable> {
  const { by, reference, force } = query;
  const sides = await (isExperimentBy(run, by) ? sidesOfRun : readSidesBy)(run, store, by);
  const labels = sides.map(({ label }) => label);
  if (sides.length < 2) {
    throw new Refusal(400, 'REQUEST_INVALID', `The run has only one variant by ${by}, so nothing can be compared.`, {
      hint: 'Compare two runs instead.',
    });
  }
  if (reference !== undefined) knownVariant(reference, labels, by);
  return tableOfSides(sides, run, { by, reference, force });
}

/** Several runs, of which the first is the one that the others are compared with. */
export interface SeveralRuns extends Pick<z.output<typeof severalRunsQuery>, 'force'> {
  readonly runs: readonly RunHeader[];
}

/** Several runs in one table. */
export async function compareSeveral(store: Store, { runs, force }: SeveralRuns): Promise<VariantTable> {
  const sides: CollectedSide[] = [];
  for (const run of runs) sides.push(await readSide(run, store));
  return tableOfSides(sides, undefined, { by: 'run', force });
}
