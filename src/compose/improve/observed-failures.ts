import type { TrialRecord } from '../../domain/record.ts';
import type { Variant } from '../../domain/variant.ts';
import { encodeData } from '../../drive/models/prompting/encode-data.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { FailureClusters } from '../../report/compare/failure-clusters/failure-clusters.ts';
import { showTrace } from '../../score/judge/show-trace.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { LeakCheck } from './leak-check.ts';

/** Failures in the trials of one version, for the model that proposes. */
export interface ObservedFailures {
  readonly judged: number;
  readonly failed: number;
  /** One JSON object each. */
  readonly failures: readonly string[];
  readonly traces: readonly string[];
  /** Traces that hold text of held-out cases. */
  readonly tracesLeftOut: number;
}

interface Observation {
  readonly store: Store;
  readonly runId: string;
  readonly part: keyof Variant;
  readonly arm: string;
  readonly leaks: LeakCheck;
  readonly redact: Redact;
}

const mostClusters = 8;
const tracesPerCluster = 2;
const tokensPerTrace = 4_000;

/** Groups the failed trials of a version, and shows a few traces of each group. */
export async function observeFailures(observation: Observation): Promise<ObservedFailures> {
  const { store, runId, part, arm, leaks, redact } = observation;
  const found = new FailureClusters();
  let [judged, failed] = [0, 0];
  for await (const record of eachTrial(store, runId)) {
    if (record.variant[part] !== arm || (record.outcome !== 'pass' && record.outcome !== 'fail')) continue;
    judged++;
    if (record.outcome === 'fail') failed++;
    found.add(record);
  }
  const clusters = found.list().slice(0, mostClusters);
  const failures = clusters.map(({ key, count, example }) =>
    encodeData({ failure: redact(key), trials: count, example: redact(example.reason) }),
  );
  const traces: string[] = [];
  let tracesLeftOut = 0;
  for (const trialId of clusters.flatMap(({ trialIds }) => trialIds.slice(0, tracesPerCluster))) {
    const trace = await store.readTrace(trialId);
    if (!trace) continue;
    const lines = showTrace({ trace }, { redact, tokenBudget: tokensPerTrace, idPrefix: `${trialId}-` }).lines;
    if (leaks.leakIn(lines.join('\n')) === undefined) traces.push(...lines);
    else tracesLeftOut++;
  }
  return { judged, failed, failures: failures.filter((line) => !leaks.leakIn(line)), traces, tracesLeftOut };
}

/** Trials and costs of each version in a run; null where the cost of a trial is not known. */
export async function effortByArm(
  store: Store,
  runId: string,
  part: keyof Variant,
): Promise<ReadonlyMap<string, { readonly trials: number; readonly costUsd: number | null }>> {
  const found = new Map<string, { trials: number; costUsd: number | null }>();
  for await (const { variant, costUsd } of eachTrial(store, runId) as AsyncIterable<TrialRecord>) {
    const arm = variant[part] ?? '';
    const sum = found.get(arm) ?? { trials: 0, costUsd: 0 };
    sum.trials++;
    sum.costUsd = sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd;
    found.set(arm, sum);
  }
  return found;
}
