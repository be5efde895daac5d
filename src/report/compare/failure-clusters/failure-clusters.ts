import type { TrialRecord } from '../../../domain/record.ts';
import { causeOf, type FailedRecord, type FailureCause, type FailureKind } from './failure-cause.ts';
import { nextStepFor } from './next-steps.ts';

/** The parts of a record that clusters are made of. */
export type ClusteredRecord = FailedRecord & Pick<TrialRecord, 'trialId' | 'scenario'>;

/** Trials that did not pass by the same error, gate, criterion, evaluator or judge's objection. */
export interface FailureCluster {
  readonly outcome: 'fail' | 'error';
  readonly kind: FailureKind;
  readonly what: string;
  readonly pattern: string;
  /** The three above in words. */
  readonly title: string;
  readonly count: number;
  /** Of all trials that did not pass. */
  readonly share: number;
  readonly scenarios: readonly string[];
  /** The first of them in plan order. */
  readonly example: { readonly trialId: string; readonly scenario: string; readonly reason: string };
  /** Of the first few, the example first. */
  readonly trialIds: readonly string[];
  readonly nextStep: string;
}

/** From this many clusters on, what is new is put with others of its kind. */
const mostClusters = 500;
const keptTrials = 10;

interface Growing {
  readonly outcome: FailureCluster['outcome'];
  readonly cause: FailureCause;
  readonly example: FailureCluster['example'];
  readonly trialIds: string[];
  readonly scenarios: Set<string>;
  count: number;
}

/** Groups trials that did not pass as they come; what it keeps does not grow with their number. */
export class FailureClusters {
  readonly #clusters = new Map<string, Growing>();
  #count = 0;

  /** Trials that did not pass, so far. */
  get count(): number {
    return this.#count;
  }

  /** A trial that passed or was skipped is passed over. */
  add(record: ClusteredRecord): void {
    const { outcome, trialId, scenario, reason } = record;
    if (outcome !== 'fail' && outcome !== 'error') return;
    this.#count += 1;
    const cause = causeOf(record);
    const cluster = this.#clusterOf(outcome, cause, { trialId, scenario, reason });
    cluster.count += 1;
    cluster.scenarios.add(scenario);
    if (cluster.trialIds.length < keptTrials) cluster.trialIds.push(trialId);
  }

  /** The largest first; the counts add up to all that did not pass. */
  list(): FailureCluster[] {
    return [...this.#clusters.values()]
      .map(({ outcome, cause, example, trialIds, scenarios, count }) => ({
        outcome,
        kind: cause.kind,
        what: cause.what,
        pattern: cause.pattern,
        title: titleOf(cause),
        count,
        share: count / this.#count,
        scenarios: [...scenarios],
        example,
        trialIds,
        nextStep: nextStepFor(cause, scenarios.size),
      }))
      .sort((a, b) => b.count - a.count);
  }

  #clusterOf(outcome: FailureCluster['outcome'], cause: FailureCause, example: FailureCluster['example']): Growing {
    const isFull = this.#clusters.size >= mostClusters;
    const exact = JSON.stringify([outcome, cause.kind, cause.what, cause.pattern]);
    const known = this.#clusters.get(exact);
    if (known) return known;
    const rest: FailureCause = { kind: cause.kind, what: '', pattern: 'others', hint: undefined };
    const key = isFull ? JSON.stringify([outcome, cause.kind]) : exact;
    const cluster = this.#clusters.get(key) ?? {
      outcome,
      cause: isFull ? rest : cause,
      example,
      trialIds: [],
      scenarios: new Set<string>(),
      count: 0,
    };
    this.#clusters.set(key, cluster);
    return cluster;
  }
}

const kindWords: Readonly<Record<FailureKind, string>> = {
  thrown: 'the tool failed with',
  gate: 'gate',
  criterion: 'criterion',
  judge: 'judge',
  'server-test': 'test of',
  workflow: 'workflow',
  assertion: 'assertion',
  verdict: 'recorded verdict',
  'time-out': 'took too long',
  crash: 'crashed',
  'rate-limit': 'rate limit',
  budget: 'budget reached',
  agent: 'fault of the agent',
  model: 'fault of the model',
  target: 'fault of the target',
  user: 'fault in the files',
  store: 'fault of the store',
  engine: 'fault of Assay',
};

function titleOf({ kind, what, pattern }: FailureCause): string {
  const named = [kindWords[kind], what].filter((part) => part !== '').join(' ');
  return [named, pattern].filter((part) => part !== '').join(': ');
}
