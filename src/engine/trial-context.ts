import type { Channel } from '../domain/capability.ts';
import type { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/gate.ts';
import { type JudgeAnswer, type JudgeSpending, totalSpending } from '../domain/judge-result.ts';
import type { Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { lastTurn, type Turn } from '../domain/turn.ts';
import type { EarlierFindings, EvaluationContext, EvaluatorServices } from '../score/evaluators/evaluator.ts';
import type { Judging } from '../score/judge/judge.ts';

/** Facts about a trial that evaluators see. */
export interface TrialFacts {
  readonly trial: Trial;
  readonly trace: Trace;
  readonly workspace: EvaluatedWorkspace | undefined;
  readonly workspaceFault?: AssayError | undefined;
  readonly isFinal: boolean;
  readonly failures: readonly string[];
  readonly earlier?: EarlierFindings | undefined;
}

/**
 * A trial as evaluators see it; the last turn and the judge are made on first use, because few need them. A spread copy
 * would lose both: `withReads` is the way to a context with one more field.
 */
export class TrialContext implements EvaluationContext {
  readonly trial: Trial;
  readonly trace: Trace;
  readonly workspace: EvaluatedWorkspace | undefined;
  readonly workspaceFault: AssayError | undefined;
  readonly isFinal: boolean;
  readonly failures: readonly string[];
  readonly earlier: EarlierFindings | undefined;
  readonly services: EvaluatorServices;
  readonly signal: AbortSignal;
  // Not `#`: they are read through objects that inherit from this one.
  private readonly openJudging: () => Judging;
  private openedJudging: Judging | undefined = undefined;
  private foundTurn: Turn | undefined = undefined;

  constructor(facts: TrialFacts, openJudging: () => Judging, services: EvaluatorServices, signal: AbortSignal) {
    this.trial = facts.trial;
    this.trace = facts.trace;
    this.workspace = facts.workspace;
    this.workspaceFault = facts.workspaceFault;
    this.isFinal = facts.isFinal;
    this.failures = facts.failures;
    this.earlier = facts.earlier;
    this.services = services;
    this.signal = signal;
    this.openJudging = openJudging;
  }

  get judging(): Judging {
    this.openedJudging ??= this.openJudging();
    return this.openedJudging;
  }

  get turn(): Turn | undefined {
    this.foundTurn ??= lastTurn(this.trace);
    return this.foundTurn;
  }
}

/** The same context, which also notes the channels that are read. */
export function withReads(context: EvaluationContext, recordRead: (channel: Channel) => void): EvaluationContext {
  return Object.assign(Object.create(context) as EvaluationContext, { recordRead });
}

/** The same context with another judge. */
export function withJudging(context: EvaluationContext, judging: Judging): EvaluationContext {
  return Object.create(context, { judging: { value: judging } }) as EvaluationContext;
}

/** Spending of a trial on its judges, and whether one of their verdicts was reused. */
export type JudgeAccount = JudgeSpending & Pick<JudgeAnswer, 'isCached'>;

/** Spending of a trial on the judge, over all evaluators, whatever became of the answers. */
export class JudgeBill {
  readonly #answers: JudgeAccount[] = [];

  /** The judge of the run, whose answers to this trial are noted here. */
  noting(judging: Judging): Judging {
    let isWaiting = false;
    return {
      asksAlone: judging.asksAlone,
      ask: async (...question) => {
        const answer = await judging.ask(...question);
        if (answer.fault?.code === 'JUDGE_WAITING') isWaiting = true;
        if (answer.model !== undefined) this.#answers.push(answer);
        return answer;
      },
      embed: async (...request) => {
        const embedded = await judging.embed(...request);
        if (embedded.model !== undefined) this.#answers.push(embedded);
        return embedded;
      },
      // An answer that is still to come is not a fault that could be left out of account.
      errorsIn: (choice) => (isWaiting ? 'error' : judging.errorsIn(choice)),
    };
  }

  /** Undefined where no model was prompted. */
  total(): JudgeAccount | undefined {
    if (this.#answers.length === 0) return undefined;
    const isCached = this.#answers.some((answer) => answer.isCached);
    return { ...totalSpending(this.#answers), ...(isCached && { isCached }) };
  }
}
