import type * as z from 'zod';
import { knownVariant, type TwoSides, twoSides } from '../../../compose/compare/two-sides.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import { collectSide, collectSidesBy } from '../../../report/compare/side-collector.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { diffTrials, type TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import { sidesOfRun, tableOfSides } from '../../../report/compare/variants/variants-of-run.ts';
import {
  comparisonQuery,
  comparisonSchema,
  judgeComparisonSchema,
  trialDiffQuery,
  trialsDiffSchema,
  variantsQuery,
  variantsSchema,
} from '../api/trials.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { jsonRoute } from '../route.ts';
import { findTrace, findTrial } from '../trials/find-trial.ts';

type Query = z.output<typeof comparisonQuery>;
type JudgeRequest = z.output<typeof judgeComparisonSchema>;

/** The sides of a request, and the key of what is known about them; undefined while one of them can change. */
interface RequestedSides {
  readonly a: RunHeader;
  readonly b: RunHeader;
  readonly key: string | undefined;
}

async function requestedSides(query: Query, { store }: ServerContext): Promise<RequestedSides> {
  const a = await requireRun(store, query.a);
  if (query.b === undefined && query.by === undefined) {
    throw new Refusal(400, 'REQUEST_INVALID', 'There is only one run to compare.', {
      hint: 'Name a second one with `b`, or with `by` which variants of the run to compare.',
    });
  }
  const b = query.b === undefined ? a : await requireRun(store, query.b);
  const [keyA, keyB] = [endedKey(a), endedKey(b)];
  const { by, valueA, valueB, force } = query;
  const key = JSON.stringify([keyA, query.b === undefined ? null : keyB, by, valueA, valueB, force]);
  return { a, b, key: keyA === undefined || keyB === undefined ? undefined : key };
}

/** Two runs, or two variants of one, side by side; kept as long as neither can change. */
async function compareStored(query: Query, context: ServerContext): Promise<Comparison> {
  const requested = await requestedSides(query, context);
  const { a, b, key } = requested;
  const judged = key === undefined ? undefined : await context.runCache.judgedPairs.find(key);
  const compare = async (): Promise<Comparison> => {
    const { a: sideA, b: sideB, pairsOfVariants } = await sidesOf(a, b, query, context);
    return withFirstCases(compareCollected(sideA, sideB, { force: query.force, pairsOfVariants, judged }));
  };
  // Preferences may change, so a comparison with them is not cached.
  return key === undefined || judged ? compare() : context.runCache.comparisons.get(key, compare);
}

/** Lets a judge compare the answers of two sides that cannot change, and keeps its preferences until the server ends. */
async function judgeStored(request: JudgeRequest, signal: AbortSignal, context: ServerContext): Promise<Comparison> {
  const { a, b, key } = await requestedSides(request, context);
  if (key === undefined) {
    throw new Refusal(409, 'RUN_LIVE', 'A run that goes on cannot be judged pair by pair.', {
      hint: 'Wait until it has ended.',
    });
  }
  const sides = await sidesOf(a, b, request, context);
  const { answer, summary } = compareCollected(sides.a, sides.b, { force: request.force });
  if (answer === 'not-comparable') {
    throw new Refusal(400, 'REQUEST_INVALID', summary, {
      hint: 'Show the figures anyway, and then judge the answers.',
    });
  }
  const { judgePairs } = await import('../../../compose/judge/judge-pairs.ts');
  const sources = { sourceA: storedSource(a, context.store), sourceB: storedSource(b, context.store) };
  const { judgeModel, maxUsd } = request;
  const judged = await judgePairs(
    { a: sides.a, b: sides.b, ...sources },
    {
      project: await context.project(),
      flags: { models: judgeModel === undefined ? undefined : [judgeModel], maxUsd },
      env: context.env,
      signal: AbortSignal.any([signal, context.signal]),
    },
  );
  await context.runCache.judgedPairs.set(key, judged);
  return compareStored(request, context);
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
    method: 'post',
    path: '/api/compare/judge',
    tag,
    role: 'runner',
    summary: 'Lets a judge compare the answers of two sides, case by case and in both orders.',
    body: judgeComparisonSchema,
    answer: comparisonSchema,
    handle: ({ body, raw }, context) => judgeStored(body, raw.signal, context),
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
