import { eachTrial, requireRun, type Store } from '../../../keep/store/store.ts';
import { FailureClusters as Clusters } from '../../../report/compare/failure-clusters/failure-clusters.ts';
import type { FailureClusters } from '../api/runs.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { shortReason } from './trial-item.ts';

const mostTrials = 5_000;
const mostShown = 50;

/** The failures of a run grouped by cause; computed once for a run that has ended. */
export async function failureClusters(runId: string, context: ServerContext): Promise<FailureClusters> {
  const run = await requireRun(context.store, runId);
  const read = () => readClusters(run.runId, context.store);
  const key = endedKey(run);
  return key === undefined ? read() : context.runCache.clusters.get(key, read);
}

async function readClusters(runId: string, store: Store): Promise<FailureClusters> {
  const found = new Clusters();
  const cases = new Map<string, string>();
  let isComplete = true;
  for await (const record of eachTrial(store, runId, ['fail', 'error'])) {
    if (found.count >= mostTrials) {
      isComplete = false;
      break;
    }
    found.add(record);
    cases.set(record.trialId, record.caseId);
  }
  const clusters = found.list().slice(0, mostShown);
  return {
    clusters: clusters.map(({ title, outcome, count, scenarios, example, trialIds, nextStep }) => ({
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
  };
}
