import type { TrialRecord } from '../../../domain/record.ts';
import { shorten } from '../../../shared/text.ts';
import { commonWords, joinWords, type SplitText } from '../trajectory/normalize-text.ts';
import { causeOf, type FailedRecord, type FailureCause, type FailureKind, isOneCause } from './failure-cause.ts';

const kept = 'in the work directory that was kept';

/** Advice for each kind of failure, where the record itself has none. */
const stepsOfKinds: Readonly<Record<FailureKind, string>> = {
  thrown: 'Call the tool by hand with the input of the example; what it printed is in the trace.',
  gate: `Inspect the files ${kept}.`,
  criterion: 'Compare the answer in the trace with the criterion: one of the two is wrong.',
  judge: 'Read the quotes of the judge. If it is right, improve the guidance; if not, make the criterion more precise.',
  'server-test': 'Call the server with the same arguments by hand; run `assay mcp check` to find other problems.',
  workflow: 'Look at which tools were called, and in which order: their descriptions decide what a model chooses.',
  assertion: 'Read the answer in the trace beside what was expected.',
  verdict: 'Open single trials: the recorded verdict does not say why they failed.',
  'time-out': 'Find in the trace what took the time, then make it quicker or raise the limit.',
  crash: 'Read the last output in the trace; start the same program by hand with the same input.',
  'rate-limit': 'Lower the concurrency, then finish the run with `assay run --resume`.',
  budget: 'Raise the limit or use a cheaper model, then finish the run with `assay run --resume`.',
  agent: 'Read what the agent printed last, and run `assay doctor` to check whether it can be used here.',
  model: 'The provider says why in its message; then finish the run with `assay run --resume`.',
  target: 'Try the target by hand, with the input of the example.',
  user: 'Correct the file, then check it with `assay validate`.',
  store: 'Run `assay doctor` to check whether the store can be read and written.',
  engine: 'The message says where it happened; run it again with --debug.',
};

const stepsOfTypes: readonly (readonly [RegExp, string])[] = [
  [/^command_/, `Run the command of the gate ${kept}, and see what it prints.`],
  [/^file_/, `Open the file ${kept}; the task may not say clearly where it must be and what must be in it.`],
  [/^no_transcript_errors$/, 'Find the first error in the transcript: the guidance often does not explain that step.'],
  [/^script$/, `Run the script by hand ${kept}.`],
  [/budget$|^time-to-/, 'Find in the trace where it went; raise the limit only if it was too low to begin with.'],
  [
    /^tool-|-calls$/,
    'Look at the calls in the trace: names and descriptions of tools decide which ones a model chooses.',
  ],
];

/** One cause is only suggested where the error itself was observed. */
function nextStepFor(cause: FailureCause, scenarios: number): string {
  const { kind, what, hint } = cause;
  const ofType = stepsOfTypes.find(([pattern]) => pattern.test(what))?.[1];
  const step = hint ?? (kind === 'gate' || kind === 'assertion' ? ofType : undefined) ?? stepsOfKinds[kind];
  return scenarios > 1 && isOneCause(cause) ? `The same error occurred in ${scenarios} scenarios. ${step}` : step;
}

/** The parts of a record that clusters are made of. */
type ClusteredRecord = FailedRecord & Pick<TrialRecord, 'trialId' | 'scenario'>;

/** Trials that did not pass by the same error, gate, criterion, evaluator or judge's objection. */
export interface FailureCluster {
  readonly outcome: 'fail' | 'error';
  readonly kind: FailureKind;
  readonly what: string;
  readonly pattern: string;
  /** The three above in words: the same for the same cause, whatever trials it has. */
  readonly key: string;
  /** For people: with the values that all of its trials share, and `…` for those in which they differ. */
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

/** From this many clusters on, new failures join one cluster for each kind. */
const mostClusters = 500;
const keptTrials = 10;
const others: SplitText = { shape: 'others', values: [] };

interface Growing {
  readonly outcome: FailureCluster['outcome'];
  readonly cause: FailureCause;
  readonly example: FailureCluster['example'];
  readonly trialIds: string[];
  readonly scenarios: Set<string>;
  /** Common to its trials. */
  words: SplitText;
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

  /** The key of the cluster of this trial; undefined for one that passed or was skipped, which is in none. */
  add(record: ClusteredRecord): string | undefined {
    const { outcome, trialId, scenario, reason } = record;
    if (outcome !== 'fail' && outcome !== 'error') return undefined;
    this.#count += 1;
    const cause = causeOf(record);
    const cluster = this.#clusterOf(outcome, cause, { trialId, scenario, reason });
    cluster.count += 1;
    if (cluster.words !== others) cluster.words = commonWords(cluster.words, cause.words);
    cluster.scenarios.add(scenario);
    if (cluster.trialIds.length < keptTrials) cluster.trialIds.push(trialId);
    return keyOf(cluster.cause);
  }

  /** The largest first; the counts add up to all that did not pass. */
  list(): FailureCluster[] {
    return [...this.#clusters.values()]
      .map(({ outcome, cause, example, trialIds, scenarios, words, count }) => ({
        outcome,
        kind: cause.kind,
        what: cause.what,
        pattern: cause.pattern,
        key: keyOf(cause),
        title: titleOf(cause, words),
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
    const existing = this.#clusters.get(exact);
    if (existing) return existing;
    const rest: FailureCause = { kind: cause.kind, what: '', pattern: 'others', hint: undefined, words: others };
    const key = isFull ? JSON.stringify([outcome, cause.kind]) : exact;
    const cluster = this.#clusters.get(key) ?? {
      outcome,
      cause: isFull ? rest : cause,
      example,
      trialIds: [],
      scenarios: new Set<string>(),
      words: isFull ? others : cause.words,
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

function keyOf({ kind, what, pattern }: FailureCause): string {
  return inWords(kind, what, pattern);
}

const longestTitle = 200;

function titleOf({ kind, what }: FailureCause, words: SplitText): string {
  const shared = shorten(joinWords(words), longestTitle);
  // A criterion is named by its own words.
  return kind === 'criterion' ? inWords(kind, shared, '') : inWords(kind, what, shared);
}

function inWords(kind: FailureKind, what: string, reason: string): string {
  const named = [kindWords[kind], what].filter((part) => part !== '').join(' ');
  return [named, reason].filter((part) => part !== '').join(': ');
}
