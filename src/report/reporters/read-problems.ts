import type { Problem } from '../presentation/run-text.ts';
import type { StoredRun } from './reporter.ts';

interface Problems {
  readonly listed: readonly Problem[];
  /** Trials that did not pass and are in none of those listed. */
  readonly unlisted: number;
}

/** So many can be read one by one. */
const aFew = 5;

/**
 * The problems of a run. A few are listed one by one; more of them are grouped by cause across scenarios, the most
 * frequent first.
 */
export async function readProblems({ store, summary }: StoredRun, most: number): Promise<Problems> {
  const { runId } = summary.run;
  if (summary.totals.fail + summary.totals.error === 0) return { listed: [], unlisted: 0 };
  const groups = await store.readProblems(runId, aFew + 1);
  if (groups.length <= aFew) {
    return { listed: groups.map((group) => ({ ...group, cluster: undefined })), unlisted: 0 };
  }
  const { readFailureClusters } = await import('./failure-clusters.ts');
  const { clusters, count } = await readFailureClusters(store, runId, most);
  const listed: Problem[] = [];
  for (const cluster of clusters) {
    const first = await store.findTrial(cluster.example.trialId);
    if (first) listed.push({ first, count: cluster.count, cluster });
  }
  return { listed, unlisted: count - listed.reduce((sum, problem) => sum + problem.count, 0) };
}
