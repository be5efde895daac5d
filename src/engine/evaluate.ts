import { findingsOf } from '../domain/findings.ts';
import type { EvaluatorResult } from '../domain/outcome.ts';
import type { PartSpec } from '../domain/scenario.ts';
import type { Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Answer, EvaluationContext, Evaluator, EvaluatorServices } from '../score/evaluators/evaluator.ts';
import type { Judging } from '../score/judge/judge.ts';
import type { Execution } from './execution.ts';
import type { Evaluation } from './findings.ts';
import { addAnswer, emptyEvaluation, failuresIn, hasVerdict } from './findings.ts';
import type { PreparedEvaluator } from './prepared-evaluator.ts';
import { evaluateAll, prepareEvaluator, withParts, withUniqueNames } from './prepared-evaluator.ts';
import { type JudgeAccount, JudgeBill, TrialContext, type TrialFacts } from './trial-context.ts';
import { TurnEvaluation } from './turn-evaluation.ts';

/** Computed evaluators run first, then those that look at the work left behind, then the judge, then those about all of them. */
interface PreparedEvaluators {
  readonly certain: readonly PreparedEvaluator[];
  /** One after the other, in the order of the file: their commands share a work directory. */
  readonly inTurn: readonly PreparedEvaluator[];
  readonly judges: readonly PreparedEvaluator[];
  /** One after the other: each may look at those before it. */
  readonly last: readonly PreparedEvaluator[];
  /** Whether there are no others than the first. */
  readonly areComputed: boolean;
}

type Concluded = Evaluation | 'interrupted';

/** The work that a trial left behind, where it is still there. */
type KeptWork = Pick<Execution, 'workspace' | 'workspaceFault'>;

/** A trial when all that is computed about it is known. */
interface JudgedTrial {
  readonly conversation: TurnEvaluation | undefined;
  readonly subject: TrialFacts;
}

/** Runs the evaluators of trials; each is prepared once per config, however many trials share it. */
export class EvaluatorRunner {
  readonly #evaluators: ReadonlyMap<string, Evaluator>;
  readonly #judging: Judging;
  readonly #services: EvaluatorServices;
  readonly #signal: AbortSignal;
  readonly #prepared = new WeakMap<readonly PartSpec[], readonly PreparedEvaluator[]>();
  readonly #bills = new WeakMap<Trial, JudgeBill>();
  readonly #ordered = new WeakMap<readonly PreparedEvaluator[], PreparedEvaluators>();

  constructor(
    evaluators: ReadonlyMap<string, Evaluator>,
    judging: Judging,
    services: EvaluatorServices,
    signal: AbortSignal,
  ) {
    this.#evaluators = evaluators;
    this.#judging = judging;
    this.#services = services;
    this.#signal = signal;
  }

  /** For a conversation that is about to begin: evaluates each answer, and reports when the trial is decided. */
  conversation(trial: Trial, trace: Trace): TurnEvaluation {
    const parts = this.#prepare(trial.case.evaluators);
    return new TurnEvaluation(parts, ({ failures, isFinal, judging }) =>
      this.#context({ trial, trace, workspace: undefined, failures, isFinal }, judging),
    );
  }

  /**
   * Evaluates a trial that is over; for a conversation, the results of its turns are included. An evaluator that was
   * interrupted has no result, so the trial has none either.
   */
  conclude(trial: Trial, execution: Execution): Concluded | Promise<Concluded> {
    const unlessInterrupted = (evaluation: Evaluation): Concluded =>
      this.#signal.aborted ? 'interrupted' : evaluation;
    const evaluation = this.#conclude(trial, execution);
    return evaluation instanceof Promise ? evaluation.then(unlessInterrupted) : unlessInterrupted(evaluation);
  }

  /** At once where everything is computed: waiting would cost more than most evaluators. */
  #conclude(trial: Trial, execution: Execution): Evaluation | Promise<Evaluation> {
    const findings = emptyEvaluation();
    const { trace, workspace, workspaceFault, fault, conversation } = execution;
    if (fault) return conversation ? { ...findings, turns: [...conversation.turns] } : findings;
    const parts = this.#remaining(trial, conversation);
    const subject: TrialFacts = { trial, trace, workspace, workspaceFault, isFinal: true, failures: [] };
    if (conversation || !parts.areComputed) return this.#addAll(findings, parts, { conversation, subject });
    const pending = addAnswers(findings, parts.certain, this.#context(subject));
    return pending ? pending.then(() => findings) : findings;
  }

  async #addAll(
    findings: Evaluation,
    { certain, inTurn, judges, last }: PreparedEvaluators,
    { conversation, subject }: JudgedTrial,
  ): Promise<Evaluation> {
    await conversation?.conclude(findings);
    const context = this.#context(subject);
    const pending = addAnswers(findings, certain, context);
    if (pending) await pending;
    for (const part of inTurn) {
      if (!this.#signal.aborted) await addAnswers(findings, [part], context);
    }
    if (!this.#signal.aborted) await this.#addJudged(findings, { judges, last, conversation, subject });
    if (last.length > 0) await this.#addLast(findings, last, subject);
    return findings;
  }

  /** The judges see all that is computed, in a conversation too. */
  async #addJudged(
    findings: Evaluation,
    { judges, last, conversation, subject }: Pick<PreparedEvaluators, 'judges' | 'last'> & JudgedTrial,
  ): Promise<void> {
    const parts = [...judges, ...(conversation?.waiting ?? [])];
    // A metric can void the trial, and an expression needs all of its parts.
    const isSparable = last.length === 0 && parts.every(({ kind }) => kind === 'assertion');
    const { spared, deferred } = this.#judging;
    const usual = conversation ? this.#judging : (deferred ?? this.#judging);
    const judging = (isSparable && hasVerdict(findings) && spared) || usual;
    const failures = failuresIn(findings);
    await conversation?.judge(findings, { failures, judging });
    if (judges.length > 0) await addAnswers(findings, judges, this.#context({ ...subject, failures }, judging));
  }

  /** Those that decide about all others. */
  async #addLast(findings: Evaluation, last: readonly PreparedEvaluator[], subject: TrialFacts): Promise<void> {
    for (const part of last) {
      if (this.#signal.aborted) break;
      const earlier = { results: findings.evaluatorResults, metrics: findings.metrics, judge: findings.judge };
      await addAnswers(findings, [part], this.#context({ ...subject, earlier }));
    }
  }

  /**
   * Judges a trial whose judge was to answer in a batch; the results of the other evaluators stay as they are. The record
   * must not be of a conversation: its judges answer while it goes on.
   */
  async rejudge(trial: Trial, { record, trace }: FinishedTrial, work: KeptWork): Promise<Evaluation | 'interrupted'> {
    const { certain, inTurn, judges, last } = this.#remaining(trial, undefined);
    const { metrics, turns } = record;
    const findings: Evaluation = {
      ...emptyEvaluation(),
      ...findingsOf(record),
      judge: null,
      metrics: { ...metrics },
      turns: [...turns],
      evaluatorResults: record.evaluatorResults.slice(0, certain.length + inTurn.length),
    };
    const subject = { trial, trace, ...work, isFinal: true, failures: [] };
    const context = this.#context({ ...subject, failures: failuresIn(findings) });
    const earlier = record.evaluatorResults.slice(certain.length + inTurn.length);
    // Those that did not wait have their results, and may have paid for them.
    const waiting = judges.filter((_, index) => !hasResult(earlier[index]));
    const answers = await evaluateAll(waiting, context);
    for (const [index, part] of judges.entries()) {
      const answer = answers[waiting.indexOf(part)];
      const result = earlier[index];
      if (answer) addAnswer(findings, part, answer);
      else if (result) findings.evaluatorResults.push(result);
    }
    await this.#addLast(findings, last, subject);
    return this.#signal.aborted ? 'interrupted' : findings;
  }

  /** Spending on the judge so far for a trial; undefined where no judge ran. */
  spentOnJudge(trial: Trial): JudgeAccount | undefined {
    return this.#bills.get(trial)?.total();
  }

  /** Evaluators that ran during a conversation do not run again. */
  #remaining(trial: Trial, conversation: TurnEvaluation | undefined): PreparedEvaluators {
    const parts = this.#prepare(trial.case.evaluators);
    if (conversation?.hasBegun) return inOrder(parts.filter((part) => !conversation.evaluates(part)));
    const ordered = this.#ordered.get(parts) ?? inOrder(parts);
    this.#ordered.set(parts, ordered);
    return ordered;
  }

  #prepare(specs: readonly PartSpec[]): readonly PreparedEvaluator[] {
    const prepared =
      this.#prepared.get(specs) ??
      withParts(withUniqueNames(specs.map((spec) => prepareEvaluator(spec, this.#evaluators))));
    this.#prepared.set(specs, prepared);
    return prepared;
  }

  #context(subject: TrialFacts, judging = this.#judging): EvaluationContext {
    const openJudging = () => this.#billOf(subject.trial).noting(judging);
    return new TrialContext(subject, openJudging, this.#services, this.#signal);
  }

  #billOf(trial: Trial): JudgeBill {
    const bill = this.#bills.get(trial) ?? new JudgeBill();
    this.#bills.set(trial, bill);
    return bill;
  }
}

function hasResult(earlier: EvaluatorResult | undefined): boolean {
  return earlier !== undefined && earlier.fault?.code !== 'JUDGE_WAITING';
}

function inOrder(parts: readonly PreparedEvaluator[]): PreparedEvaluators {
  const before = parts.filter(({ runsLast }) => !runsLast);
  const certain = before.filter((part) => !part.needsJudge && !part.needsWorkspace);
  return {
    certain,
    areComputed: certain.length === parts.length,
    inTurn: before.filter((part) => !part.needsJudge && part.needsWorkspace),
    judges: before.filter((part) => part.needsJudge),
    last: parts.filter(({ runsLast }) => runsLast),
  };
}

/** At once where all evaluators answer at once: waiting would cost more than most of them. */
function addAnswers(
  findings: Evaluation,
  parts: readonly PreparedEvaluator[],
  context: EvaluationContext,
): Promise<void> | undefined {
  const add = (answers: readonly Answer[]): void =>
    parts.forEach((part, index) => {
      const answer = answers[index];
      if (answer) addAnswer(findings, part, answer);
    });
  const answers = evaluateAll(parts, context);
  return answers instanceof Promise ? answers.then(add) : void add(answers);
}
