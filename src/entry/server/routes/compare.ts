import type * as z from 'zod';
import { type TwoSides, twoSides } from '../../../compose/compare/two-sides.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import { collectSide, collectSidesBy } from '../../../report/compare/side-collector.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { diffTrials, type TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import { comparisonQuery, comparisonSchema, trialDiffQuery, trialsDiffSchema } from '../api/trials.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { jsonRoute } from '../route.ts';
import { findTrace, findTrial } from '../trials/find-trial.ts';

type Query = z.output<typeof comparisonQuery>;

/** Two runs, or two variants of one, side by side; kept as long as neither can change. */
async function compareStored(query: Query, context: ServerContext): Promise<Comparison> {
  const a = await requireRun(context.store, query.a);
  if (query.b === undefined && query.by === undefined) {
    throw new Refusal(400, 'REQUEST_INVALID', 'There is only one run to compare.', {
      hint: 'Name a second one with `b`, or with `by` which variants of the run to compare.',
    });
  }
  const b = query.b === undefined ? a : await requireRun(context.store, query.b);
  const compare = async (): Promise<Comparison> => {
    const { a: sideA, b: sideB, pairsOfVariants } = await sidesOf(a, b, query, context);
    return withFirstCases(compareCollected(sideA, sideB, { force: query.force, pairsOfVariants }));
  };
  const [keyA, keyB] = [endedKey(a), endedKey(b)];
  if (keyA === undefined || keyB === undefined) return compare();
  const { by, valueA, valueB, force } = query;
  const key = JSON.stringify([keyA, query.b === undefined ? null : keyB, by, valueA, valueB, force]);
  return context.runCache.comparisons.get(key, compare);
}

/** The most important come first; a page does not need more. */
const mostCases = 2_000;

function withFirstCases(comparison: Comparison): Comparison {
  const { changedCases, notes } = comparison;
  if (changedCases.length <= mostCases) return comparison;
  const note = `Only the first ${mostCases} of ${changedCases.length} changed cases are listed; \`assay compare\` lists all.`;
  return { ...comparison, changedCases: changedCases.slice(0, mostCases), notes: [...notes, note] };
}

async function sidesOf(
  a: RunHeader,
  b: RunHeader,
  { b: other, by, valueA, valueB }: Query,
  { store }: ServerContext,
): Promise<TwoSides> {
  if (by === undefined || other !== undefined) {
    const sides = { a: await collectSide(storedSource(a, store)), b: await collectSide(storedSource(b, store)) };
    return { ...sides, pairsOfVariants: 1 };
  }
  const sides = await collectSidesBy(storedSource(a, store), by);
  return twoSides([...sides.values()], by, { a: valueA, b: valueB });
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
    path: '/api/diff',
    tag,
    role: 'reader',
    summary: 'The steps of two trials, side by side.',
    query: trialDiffQuery,
    answer: trialsDiffSchema,
    handle: ({ query: { a, b } }, context) => diffStored(a, b, context),
  }),
];
