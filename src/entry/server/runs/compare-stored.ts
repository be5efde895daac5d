import type * as z from 'zod';
import type { RunHeader } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { PairwiseCounts } from '../../../report/compare/judged-pairs.ts';
import { casesWithPartner } from '../../../report/compare/stored-source.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import type { variantsQuery } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { compareRuns } from '../work/comparisons.ts';
import { compute, isLarge } from '../work/heavy-work.ts';
import { type ComparedQuery, requestedSides } from './compared-sides.ts';

/** So many trials are looked through in a few hundredths of a second. */
const mostLookedThrough = 10_000;

/** Where only some cases can have a partner, their scenarios are looked through and no others. */
async function isLargeComparison(a: RunHeader, b: RunHeader, context: ServerContext): Promise<boolean> {
  return (await isLargeSide(a, b, context)) || (await isLargeSide(b, a, context));
}

async function isLargeSide(run: RunHeader, comparedWith: RunHeader, context: ServerContext): Promise<boolean> {
  if (!isLarge([run])) return false;
  const cases = casesWithPartner(run, comparedWith);
  if (!cases) return true;
  const names = new Set(cases.map(({ scenario }) => scenario));
  const scenarios = (await context.store.countByScenario(run.runId)).filter(({ scenario }) => names.has(scenario));
  const first = Math.min(...scenarios.map(({ firstOrdinal }) => firstOrdinal));
  const last = Math.max(...scenarios.map(({ lastOrdinal }) => lastOrdinal));
  return last - first >= mostLookedThrough;
}

/** Two runs, or two variants of one, side by side; kept as long as neither can change. */
export async function compareStored(
  query: ComparedQuery,
  context: ServerContext,
  signal: AbortSignal,
): Promise<Comparison> {
  const requested = await requestedSides(query, context);
  const { a, b, key, kept } = requested;
  const compare = async (ending: AbortSignal, judged?: PairwiseCounts): Promise<Comparison> => {
    const runs = { a, b, query, judged };
    if (!(await isLargeComparison(a, b, context))) return compareRuns(context.store, runs);
    const compared = a.runId === b.runId ? [a] : [a, b];
    return compute('compare', { runs }, compared, context, { key: [query, judged], signal: ending });
  };
  if (key === undefined || !kept) return compare(signal);
  const plain = await context.runCache.comparisons.get(key, compare, signal);
  const judged = await kept.pairs(plain.a.label, plain.b.label).readCounts();
  // Preferences may change, so a comparison with them is not cached.
  return judged ? compare(signal, judged) : plain;
}

/** All variants of one run; kept as long as it cannot change. */
export async function compareVariantsOf(
  query: z.output<typeof variantsQuery>,
  context: ServerContext,
  signal: AbortSignal,
): Promise<VariantTable> {
  const { by, reference, force } = query;
  const run = await requireRun(context.store, query.run);
  const kept = { cache: context.runCache.variants, key: [by, reference, force], signal };
  return compute('variants', { run, query }, [run], context, kept);
}
