import type { JudgeAnswer } from '../../domain/judge-result.ts';
import { isReused } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Judgements, splitVariance, type VarianceSplit } from '../../shared/stats/variance-split.ts';

/** How much of the spread of a run's scores over repeats comes from the judge, and how much from the agent. */
export async function judgeVarianceOf(store: Store, runId: string): Promise<VarianceSplit> {
  const cases = new Map<string, Judgements[]>();
  for await (const record of eachTrial(store, runId)) {
    const scores = isReused(record) ? [] : (record.judge?.panel ?? []).flatMap(scoreOf);
    if (scores.length === 0) continue;
    const key = caseKey(record);
    const traces = cases.get(key) ?? [];
    traces.push(scores);
    cases.set(key, traces);
  }
  return splitVariance([...cases.values()]);
}

/** Repeats are alike in everything else. */
function caseKey({ file, scenario, caseId, variant }: TrialRecord): string {
  return canonicalJson([file, scenario, caseId, variant]);
}

/** A verdict without a score counts as 1 or 0; one that could not be given counts as nothing. */
function scoreOf({ state, score }: JudgeAnswer): number[] {
  if (state !== 'pass' && state !== 'fail') return [];
  return [score ?? (state === 'pass' ? 1 : 0)];
}
