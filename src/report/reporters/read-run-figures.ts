import type { CaseCounts, RunSummary } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { caseKeyOf, type RunFigures, runFigures } from '../compare/run-figures.ts';

/** The figures of a stored run: the one place that reads what they are computed from. */
export async function readRunFigures({
  store,
  summary,
}: {
  readonly store: Store;
  readonly summary: RunSummary;
}): Promise<RunFigures> {
  const { runId } = summary.run;
  // Only records tell which trials were reused; runs without any are counted by the store.
  const counts = summary.reused > 0 ? await countFresh(store, runId) : await store.countByCase(runId);
  return runFigures(summary, counts);
}

/** Trials by case without those that were reused, which are not evidence. */
async function countFresh(store: Store, runId: string): Promise<CaseCounts[]> {
  const counts = new Map<string, CaseCounts & { pass: number; fail: number; unjudged: number }>();
  for await (const record of eachTrial(store, runId)) {
    const { file, scenario, caseId, variant, outcome, cachedFrom } = record;
    if (cachedFrom !== null) continue;
    const key = `${caseKeyOf(record)}${JSON.stringify(variant)}`;
    const known = counts.get(key) ?? { file, scenario, caseId, variant, pass: 0, fail: 0, unjudged: 0 };
    known[outcome === 'pass' || outcome === 'fail' ? outcome : 'unjudged']++;
    counts.set(key, known);
  }
  return [...counts.values()];
}
