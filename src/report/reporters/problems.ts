import type { TrialRecord } from '../../domain/record.ts';
import type { ShownCluster } from './read-failure-clusters.ts';
import type { StoredRun } from './reporter.ts';

/** Trials that did not pass, told by the first of them. */
export interface Problem {
  readonly first: TrialRecord;
  readonly count: number;
  /** What they have in common beside the reason, which is the same for all where there is no cluster. */
  readonly cluster: ShownCluster | undefined;
}

export interface Problems {
  readonly listed: readonly Problem[];
  /** Trials that did not pass and are in none of those listed. */
  readonly unlisted: number;
}

/** So many can be read one by one. */
const aFew = 5;

/**
 * What did not pass in a run. A few problems are listed each for itself; more of them are put together by what went
 * wrong, wherever it did, and the most frequent comes first.
 */
export async function readProblems({ store, summary }: StoredRun, most: number): Promise<Problems> {
  const { runId } = summary.run;
  if (summary.totals.fail + summary.totals.error === 0) return { listed: [], unlisted: 0 };
  const groups = await store.readProblems(runId, aFew + 1);
  if (groups.length <= aFew) {
    return { listed: groups.map((group) => ({ ...group, cluster: undefined })), unlisted: 0 };
  }
  const { readFailureClusters } = await import('./read-failure-clusters.ts');
  const { clusters, count } = await readFailureClusters(store, runId, most);
  const listed: Problem[] = [];
  for (const cluster of clusters) {
    const first = await store.findTrial(cluster.example.trialId);
    if (first) listed.push({ first, count: cluster.count, cluster });
  }
  return { listed, unlisted: count - listed.reduce((sum, problem) => sum + problem.count, 0) };
}
