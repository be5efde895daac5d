import type * as z from 'zod';
import { requireRun, requireTrial } from '../../../keep/store/store.ts';
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
import { compareStored, compareVariantsOf } from '../runs/compare-stored.ts';
import { suggestedSides } from '../runs/previous-run.ts';
import { comparedReport } from '../runs/run-report.ts';
import { findTrace } from '../trials/find-trace.ts';
import { compute } from '../work/heavy-work.ts';

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
