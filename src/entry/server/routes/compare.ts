import type * as z from 'zod';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun, requireTrial } from '../../../keep/store/store.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { PairwiseCounts } from '../../../report/compare/judged-pairs.ts';
import { casesWithPartner } from '../../../report/compare/stored-source.ts';
import { diffTrials, type TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import {
  comparisonQuery,
  comparisonSchema,
  severalRunsQuery,
  suggestedSidesQuery,
  suggestedSidesSchema,
  trialDiffQuery,
  trialsDiffSchema,
  variantsQuery,
  variantsSchema,
} from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { route, tagged } from '../route.ts';
import { type ComparedQuery, requestedSides } from '../runs/compared-sides.ts';
import { suggestedSides } from '../runs/previous-run.ts';
import { comparedReport } from '../runs/run-report.ts';
import { findTrace } from '../trials/find-trace.ts';
import { compareRuns } from '../work/comparisons.ts';
import { compute, isLarge } from '../work/heavy-work.ts';

/** So many trials are looked through in a few hundredths of a second. */
const mostLookedThrough = 10_000;

/** Where only some cases can have a partner, their scenarios are looked through and no others. */
async function isLargeComparison(a: RunHeader, b: RunHeader, context: ServerContext): Promise<boolean> {
  return (await isLargeSide(a, b, context)) || (await isLargeSide(b, a, context));
}

async function isLargeSide(run: RunHeader, comparedWith: RunHeader, context: ServerContext): Promise<boolean> {
  if (!isLarge([run], context)) return false;
  const cases = casesWithPartner(run, comparedWith);
  if (!cases) return true;
  const names = new Set(cases.map(({ scenario }) => scenario));
  const scenarios = (await context.store.countByScenario(run.runId)).filter(({ scenario }) => names.has(scenario));
  const first = Math.min(...scenarios.map(({ firstOrdinal }) => firstOrdinal));
  const last = Math.max(...scenarios.map(({ lastOrdinal }) => lastOrdinal));
  return last - first >= mostLookedThrough;
}

/** Two runs, or two variants of one, side by side; kept as long as neither can change. */
async function compareStored(query: ComparedQuery, context: ServerContext, signal: AbortSignal): Promise<Comparison> {
  const requested = await requestedSides(query, context);
  const { a, b, key, kept } = requested;
  const compare = async (ending: AbortSignal, judged?: PairwiseCounts): Promise<Comparison> => {
    const runs = { a, b, query, judged };
    if (!(await isLargeComparison(a, b, context))) return compareRuns(context.store, runs);
    return context.heavyWork.run('compare', { runs }, context, {
      runs: a.runId === b.runId ? [a] : [a, b],
      signal: ending,
    });
  };
  if (key === undefined || !kept) return compare(signal);
  const plain = await context.runCache.comparisons.get(key, compare, signal);
  const judged = await kept.pairs(plain.a.label, plain.b.label).readCounts();
  // Preferences may change, so a comparison with them is not cached.
  return judged ? compare(signal, judged) : plain;
}

/** All variants of one run; kept as long as it cannot change. */
async function compareVariantsOf(
  query: z.output<typeof variantsQuery>,
  context: ServerContext,
  signal: AbortSignal,
): Promise<VariantTable> {
  const { by, reference, force } = query;
  const run = await requireRun(context.store, query.run);
  const kept = { cache: context.runCache.variants, key: [by, reference, force], signal };
  return compute('variants', { run, query }, [run], context, kept);
}

/** Several runs in one table; kept as long as none can change. */
async function compareSeveralRuns(
  { runs: ids, force }: z.output<typeof severalRunsQuery>,
  context: ServerContext,
  signal: AbortSignal,
): Promise<VariantTable> {
  const found = await Promise.all(ids.map((id) => requireRun(context.store, id)));
  const runs = [...new Map(found.map((run) => [run.runId, run])).values()];
  if (runs.length < 2) throw new Refusal(400, 'REQUEST_INVALID', 'There is only one run to compare.');
  const kept = { cache: context.runCache.variants, key: force, signal };
  return compute('several-runs', { runs, force }, runs, context, kept);
}

/** The steps of two trials, side by side. */
async function diffStored(a: string, b: string, context: ServerContext): Promise<TrialsDiff> {
  return diffTrials(await traced(a, context), await traced(b, context));
}

async function traced(trialId: string, context: ServerContext) {
  const record = await requireTrial(context.store, trialId);
  return { record, trace: await findTrace(record.trialId, context) };
}

const page = { mediaTypes: ['application/octet-stream'], description: 'the HTML page, as a file' };

/** Runs and trials side by side. */
export const compareRoutes = tagged('comparisons', [
  route('GET /api/compare', 'reader', {
    summary: 'Two runs, or two variants of one: is B better than A?',
    query: comparisonQuery,
    answer: comparisonSchema,
    handle: ({ query, raw }, context) => compareStored(query, context, raw.signal),
  }),
  route('GET /api/compare/report', 'reader', {
    summary: 'The comparison as one HTML page to keep, with the traces of both sides.',
    query: comparisonQuery,
    answer: page,
    async handle({ query, raw: { signal } }, context) {
      const comparison = await compareStored(query, context, signal);
      const run = await requireRun(context.store, comparison.b.runId);
      return comparedReport(run, { comparison, opensWith: 'comparison' }, context, signal);
    },
  }),
  route('GET /api/compare/suggestion', 'reader', {
    summary: 'The sides that a comparison starts with: a run, and the one before it that is most like it.',
    query: suggestedSidesQuery,
    answer: suggestedSidesSchema,
    handle: ({ query: { b } }, { store }) => suggestedSides(b, store),
  }),
  route('GET /api/compare/runs', 'reader', {
    summary: 'Two or more runs in one table: ranks, cost per success, Pareto front.',
    query: severalRunsQuery,
    answer: variantsSchema,
    handle: ({ query, raw }, context) => compareSeveralRuns(query, context, raw.signal),
  }),
  route('GET /api/compare/runs/report', 'reader', {
    summary: 'The table of several runs as one HTML page to keep, with the trials of the last run.',
    query: severalRunsQuery,
    answer: page,
    async handle({ query, raw: { signal } }, context) {
      const variants = await compareSeveralRuns(query, context, signal);
      const run = await requireRun(context.store, query.runs.at(-1) ?? '');
      return comparedReport(run, { variants, opensWith: 'variants' }, context, signal);
    },
  }),
  route('GET /api/variants', 'reader', {
    summary: 'All variants of one run: ranks, cost per success, Pareto front.',
    query: variantsQuery,
    answer: variantsSchema,
    handle: ({ query, raw }, context) => compareVariantsOf(query, context, raw.signal),
  }),
  route('GET /api/variants/report', 'reader', {
    summary: 'The table of all variants of a run as one HTML page to keep, with its trials.',
    query: variantsQuery,
    answer: page,
    async handle({ query, raw: { signal } }, context) {
      const variants = await compareVariantsOf(query, context, signal);
      const run = await requireRun(context.store, query.run);
      return comparedReport(run, { variants, opensWith: 'variants' }, context, signal);
    },
  }),
  route('GET /api/diff', 'reader', {
    summary: 'The steps of two trials, side by side.',
    query: trialDiffQuery,
    answer: trialsDiffSchema,
    handle: ({ query: { a, b } }, context) => diffStored(a, b, context),
  }),
]);
