import type * as z from 'zod';
import { knownVariant } from '../../../compose/compare/two-sides.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { PairwiseCounts } from '../../../report/compare/judged-pairs.ts';
import { diffTrials, type TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import { sidesOfRun, tableOfSides } from '../../../report/compare/variants/variants-of-run.ts';
import {
  comparisonQuery,
  comparisonSchema,
  trialDiffQuery,
  trialsDiffSchema,
  variantsQuery,
  variantsSchema,
} from '../api/trials.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { jsonRoute } from '../route.ts';
import { type ComparedQuery, requestedSides, sidesOf } from '../runs/compared-sides.ts';
import { findTrace, findTrial } from '../trials/find-trial.ts';

/** Two runs, or two variants of one, side by side; kept as long as neither can change. */
async function compareStored(query: ComparedQuery, context: ServerContext): Promise<Comparison> {
  const requested = await requestedSides(query, context);
  const { key, kept } = requested;
  const compare = async (judged?: PairwiseCounts): Promise<Comparison> => {
    const { a: sideA, b: sideB, pairsOfVariants } = await sidesOf(requested, query, context);
    return withFirstCases(compareCollected(sideA, sideB, { force: query.force, pairsOfVariants, judged }));
  };
  if (key === undefined || !kept) return compare();
  const plain = await context.runCache.comparisons.get(key, compare);
  const judged = await kept.pairs(plain.a.label, plain.b.label).readCounts();
  // Preferences may change, so a comparison with them is not cached.
  return judged ? compare(judged) : plain;
}

/** The most important come first; a page does not need more. */
const mostCases = 2_000;

function withFirstCases(comparison: Comparison): Comparison {
  const { changedCases, notes } = comparison;
  if (changedCases.length <= mostCases) return comparison;
  const note = `Only the first ${mostCases} of ${changedCases.length} changed cases are listed; \`assay compare\` lists all.`;
  return { ...comparison, changedCases: changedCases.slice(0, mostCases), notes: [...notes, note] };
}

/** All variants of one run; kept as long as it cannot change. */
async function compareVariantsOf(query: z.output<typeof variantsQuery>, context: ServerContext): Promise<VariantTable> {
  const { by, reference, force } = query;
  const run = await requireRun(context.store, query.run);
  const compare = async (): Promise<VariantTable> => {
    const sides = await sidesOfRun(run, context.store, by);
    const labels = sides.map(({ label }) => label);
    if (sides.length < 2) {
      throw new Refusal(400, 'REQUEST_INVALID', `The run has only one variant by ${by}, so nothing can be compared.`, {
        hint: 'Compare two runs instead.',
      });
    }
    if (reference !== undefined) knownVariant(reference, labels, by);
    return tableOfSides(sides, run, { by, reference, force });
  };
  const key = endedKey(run);
  if (key === undefined) return compare();
  return context.runCache.variants.get(JSON.stringify([key, by, reference, force]), compare);
}

/** The steps of two trials, side by side. */
async function diffStored(a: string, b: string, context: ServerContext): Promise<TrialsDiff> {
  return diffTrials(await traced(a, context), await traced(b, context));
}

async function traced(trialId: string, context: ServerContext) {
  const record = await findTrial(context.store, trialId);
  return { record, trace: await findTrace(record.trialId, context) };
}

const tag = 'comparisons';

/** Runs and trials side by side. */
export const compareRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/compare',
    tag,
    role: 'reader',
    summary: 'Two runs, or two variants of one: is B better than A?',
    query: comparisonQuery,
    answer: comparisonSchema,
    handle: ({ query }, context) => compareStored(query, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/variants',
    tag,
    role: 'reader',
    summary: 'All variants of one run: ranks, cost per success, Pareto front.',
    query: variantsQuery,
    answer: variantsSchema,
    handle: ({ query }, context) => compareVariantsOf(query, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/diff',
    tag,
    role: 'reader',
    summary: 'The steps of two trials, side by side.',
    query: trialDiffQuery,
    answer: trialsDiffSchema,
    handle: ({ query: { a, b } }, context) => diffStored(a, b, context),
  }),
];
