import { eachTrial, type Store } from '../../keep/store/store.ts';
import { type FailureCluster, FailureClusters } from '../compare/failure-clusters/failure-clusters.ts';
import { firstFailedStep, type Step } from '../compare/trajectory/step.ts';
import { stepsOf } from '../compare/trajectory/steps-of.ts';

/** What went wrong first in the trials of a cluster, as far as their traces were looked at. */
export interface FirstFailure {
  readonly label: string;
  readonly detail: string;
  /** How many of those looked at have it. */
  readonly trials: number;
  readonly lookedAt: number;
}

/** A cluster with what its traces show. */
export interface ShownCluster extends FailureCluster {
  readonly firstFailure: FirstFailure | undefined;
}

export interface ReadClusters {
  /** The largest first. */
  readonly clusters: readonly ShownCluster[];
  /** Trials that did not pass, those of clusters that are not listed included. */
  readonly count: number;
}

/** Traces are large: those of a few trials of each cluster show what they have in common. */
const tracesLookedAt = 5;

/** The trials of a run that did not pass, by what went wrong; of more clusters than `most`, the largest. */
export async function readFailureClusters(store: Store, runId: string, most: number): Promise<ReadClusters> {
  const found = new FailureClusters();
  for await (const record of eachTrial(store, runId, ['fail', 'error'])) found.add(record);
  const clusters: ShownCluster[] = [];
  for (const cluster of found.list().slice(0, most)) {
    clusters.push({ ...cluster, firstFailure: await firstFailureOf(cluster, store) });
  }
  return { clusters, count: found.count };
}

async function firstFailureOf({ trialIds }: FailureCluster, store: Store): Promise<FirstFailure | undefined> {
  const looked = trialIds.slice(0, tracesLookedAt);
  const seen = new Map<string, { readonly step: Step; trials: number }>();
  for (const trialId of looked) {
    const step = firstFailedStep(stepsOf((await store.readTrace(trialId)) ?? []));
    if (!step) continue;
    const known = seen.get(step.key) ?? { step, trials: 0 };
    known.trials += 1;
    seen.set(step.key, known);
  }
  const [usual] = [...seen.values()].sort((a, b) => b.trials - a.trials);
  return usual && { ...labelled(usual.step), trials: usual.trials, lookedAt: looked.length };
}

function labelled({ label, detail }: Step): Pick<FirstFailure, 'label' | 'detail'> {
  return { label, detail };
}
