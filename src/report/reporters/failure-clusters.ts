import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { text } from '../../shared/blocks/block.ts';
import { drawText } from '../../shared/blocks/draw-text.ts';
import { counted } from '../../shared/format.ts';
import { type FailureCluster, FailureClusters } from '../compare/failure-clusters/failure-clusters.ts';
import { shortReason } from '../compare/grid/listed-trial.ts';
import { firstFailedStep, type Step, stepsOf } from '../compare/trajectory/steps.ts';
import { type FirstFailure, firstFailureText, type TracedCluster } from '../presentation/cluster-text.ts';
import { clusterSection } from '../presentation/run-text.ts';

/** The clusters of a run for a terminal. */
export function clustersText({ clusters, count }: ReadClusters, color: boolean): string {
  if (count === 0) return 'Nothing failed, and all that ran could be judged.\n';
  const listed = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  const more = count > listed ? [text(`… and ${counted(count - listed, 'more trial')} that did not pass`)] : [];
  const style = { color, width: Number.POSITIVE_INFINITY };
  return drawText([...clusters.map(clusterSection), { blocks: more }], style);
}

/** The clusters of a run as one JSON document (`assay.clusters/1`). */
export function clustersDocument(runId: string, { clusters, count }: ReadClusters): object {
  return { schema: 'assay.clusters/1', runId, notPassed: count, clusters };
}

export interface ReadClusters {
  /** The largest first. */
  readonly clusters: readonly TracedCluster[];
  /** Trials that did not pass, those of clusters that are not listed included. */
  readonly count: number;
}

/** Traces are large: those of a few trials of each cluster show what they have in common. */
const tracesLookedAt = 5;

/** The trials of a run that did not pass, by cause; of more clusters than `most`, the largest. */
export async function readFailureClusters(store: Store, runId: string, most: number): Promise<ReadClusters> {
  const found = new FailureClusters();
  for await (const record of eachTrial(store, runId, ['fail', 'error'])) found.add(record);
  return { clusters: await tracedClusters(found, store, most), count: found.count };
}

async function tracedClusters(found: FailureClusters, store: Store, most: number): Promise<TracedCluster[]> {
  const clusters: TracedCluster[] = [];
  for (const cluster of found.list().slice(0, most))
    clusters.push({ ...cluster, firstFailure: await firstFailureOf(cluster, store) });
  return clusters;
}

async function firstFailureOf({ trialIds }: FailureCluster, store: Store): Promise<FirstFailure | undefined> {
  const looked = trialIds.slice(0, tracesLookedAt);
  const failures = new Map<string, { readonly step: Step; trials: number }>();
  for (const trialId of looked) {
    const step = firstFailedStep(stepsOf((await store.readTrace(trialId)) ?? []));
    if (!step) continue;
    const failure = failures.get(step.key) ?? { step, trials: 0 };
    failure.trials += 1;
    failures.set(step.key, failure);
  }
  const [usual] = [...failures.values()].sort((a, b) => b.trials - a.trials);
  if (!usual) return undefined;
  const { label, detail } = usual.step;
  return { label, detail, trials: usual.trials, lookedAt: looked.length };
}

/** The failures of a run grouped by cause, as its page lists them. */
export interface ClusteredFailures {
  readonly clusters: {
    key: string;
    title: string;
    outcome: FailureCluster['outcome'];
    count: number;
    scenarios: string[];
    example: { trialId: string; scenario: string; caseId: string; reason: string };
    trialIds: string[];
    /** Where most of the trials went wrong first; null where no step of them failed. */
    firstFailure: string | null;
    nextStep: string;
  }[];
  /** False where only the first trials that did not pass were read. */
  readonly isComplete: boolean;
  /** Ids of all trials of each group by its key. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

const mostTrials = 5_000;
const mostShown = 50;

export async function readClusteredFailures(store: Store, runId: string): Promise<ClusteredFailures> {
  const clustering = new Clustering();
  for await (const record of eachTrial(store, runId, ['fail', 'error'])) if (!clustering.add(record)) break;
  return clustering.finish(store);
}

/** Takes the trials of a run in the order of its plan, and groups the first that did not pass by cause. */
export class Clustering {
  readonly #found = new FailureClusters();
  readonly #cases = new Map<string, string>();
  readonly #members = new Map<string, string[]>();
  #isComplete = true;

  /** False where no more are taken. */
  add(record: TrialRecord): boolean {
    if (record.outcome !== 'fail' && record.outcome !== 'error') return true;
    this.#isComplete &&= this.#found.count < mostTrials;
    if (!this.#isComplete) return false;
    const key = this.#found.add(record) ?? '';
    const alike = this.#members.get(key);
    if (alike) alike.push(record.trialId);
    else this.#members.set(key, [record.trialId]);
    this.#cases.set(record.trialId, record.caseId);
    return true;
  }

  /** The groups, with what the traces of some of their trials have in common. */
  async finish(store: Store): Promise<ClusteredFailures> {
    const clusters = (await tracedClusters(this.#found, store, mostShown)).map((cluster) => {
      const { key, title, outcome, count, example, nextStep } = cluster;
      return {
        ...{ key, title, outcome, count, nextStep },
        scenarios: [...cluster.scenarios],
        trialIds: [...cluster.trialIds],
        example: { ...example, caseId: this.#cases.get(example.trialId) ?? '', reason: shortReason(example.reason) },
        firstFailure: firstFailureText(cluster) ?? null,
      };
    });
    return { clusters, isComplete: this.#isComplete, members: this.#members };
  }
}
