import { faultSource } from '../../domain/fault-source.ts';
import type { Fault } from '../../domain/outcome.ts';
import { counted, wholePercent } from '../../shared/format.ts';
import { type FailedRecord, sharedCauseText } from '../compare/failure-clusters/failure-cause.ts';
import type { FailureCluster } from '../compare/failure-clusters/failure-clusters.ts';

/** The most frequent first failure in the traces of a cluster that were read. */
export interface FirstFailure {
  readonly label: string;
  readonly detail: string;
  /** Of those read. */
  readonly trials: number;
  readonly lookedAt: number;
}

export interface TracedCluster extends FailureCluster {
  readonly firstFailure: FirstFailure | undefined;
}

const shownScenarios = 3;
const shownTrials = 4;

/** `12 trials (40 %) in 3 scenarios: A, B, C`. */
export function clusterSize({ count, share, scenarios }: TracedCluster): string {
  const names = scenarios.slice(0, shownScenarios);
  const more = scenarios.length > shownScenarios ? ', …' : '';
  const place = scenarios.length === 1 ? names[0] : `${counted(scenarios.length, 'scenario')}: ${names.join(', ')}`;
  return `${counted(count, 'trial')} (${wholePercent(share)} of all that did not pass) in ${place}${more}`;
}

/** The first failed step in the traces that were read; undefined where no step failed. */
export function firstFailureText({ firstFailure }: TracedCluster): string | undefined {
  if (!firstFailure) return undefined;
  const { label, detail, trials, lookedAt } = firstFailure;
  const why = detail === '' ? '' : ` (${detail})`;
  const share = lookedAt > 1 ? `, in ${trials} of ${lookedAt} traces read` : '';
  return `First to fail: ${label}${why}${share}`;
}

/** The hint is left out where the cluster already has a next step. */
export function faultText(fault: Fault, cluster: TracedCluster | undefined): string {
  const text = `${fault.code}, source: ${faultSource(fault)}`;
  return cluster ? text : `${text}. ${fault.hint}`;
}

/** How many more trials a problem stands for, and the cause that they share with it. */
export function othersText(record: FailedRecord, count: number): string {
  return count > 1 ? `, and ${counted(count - 1, 'more trial')}${sharedCauseText(record)}` : '';
}

/** The other trials of a cluster by their ids; empty where there is no other. */
export function alsoText({ trialIds, count }: Pick<TracedCluster, 'trialIds' | 'count'>): string {
  const others = trialIds.slice(1, shownTrials);
  if (others.length === 0) return '';
  return `, also ${others.join(', ')}${count > others.length + 1 ? ', …' : ''}`;
}
