import { requireRun } from '../../../keep/store/store.ts';
import type { ClusteredFailures } from '../../../report/reporters/failure-clusters.ts';
import type { FailureClusters } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { compute } from '../work/heavy-work.ts';

/** The failures of a run grouped by cause. */
export async function failureClusters(runId: string, context: ServerContext): Promise<FailureClusters> {
  const { clusters, isComplete } = await clusteredFailures(runId, context);
  return { clusters, isComplete };
}

/** Ids of the trials of a cluster; none where there is no such cluster. */
export async function trialsOfCluster(runId: string, key: string, context: ServerContext): Promise<readonly string[]> {
  return (await clusteredFailures(runId, context)).members.get(key) ?? [];
}

/** Computed once for a run that has ended. */
async function clusteredFailures(runId: string, context: ServerContext): Promise<ClusteredFailures> {
  const run = await requireRun(context.store, runId);
  return compute('clusters', { run }, [run], context, { cache: context.runCache.clusters });
}
