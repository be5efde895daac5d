import { eachTrial, requireRun, type Store } from '../../../keep/store/store.ts';
import { FailureClusters as Clusters } from '../../../report/compare/failure-clusters/failure-clusters.ts';
import type { FailureClusters } from '../api/runs.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import type { ClusteredFailures } from '../run-cache.ts';
import { shortReason } from './trial-item.ts';

const mostTrials = 5_000;
const mostShown = 50;

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
  const read = () => readClusters(run.runId, context.store);
  const key = endedKey(run);
  return key === undefined ? read() : context.runCache.clusters.get(key, read);
}

async function readClusters(runId: string, store: Store): Promise<ClusteredFailures> {
  const found = new Clusters();
  const cases = new Map<string, string>();
  const members = new Map<string, string[]>();
  let isComplete = true;
  for await (const record of eachTrial(store, runId, ['fail', 'error'])) {
    if (found.count >= mostTrials) {
      isComplete = false;
      break;
    }
    const key = found.add(record) ?? '';
    const alike = members.get(key);
    if (alike) alike.push(record.trialId);
    else members.set(key, [record.trialId]);
    cases.set(record.trialId, record.caseId);
  }
  const clusters = found.list().slice(0, mostShown);
  return {
    clusters: clusters.map(({ key, title, outcome, count, scenarios, example, trialIds, nextStep }) => ({
      key,
      title,
      outcome,
      count,
      scenarios: [...scenarios],
      example: {
        trialId: example.trialId,
        scenario: example.scenario,
        caseId: cases.get(example.trialId) ?? '',
        reason: shortReason(example.reason),
      },
      trialIds: [...trialIds],
      nextStep,
    })),
    isComplete,
    members,
  };
}
