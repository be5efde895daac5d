import type { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/gate.ts';
import { type JudgeAnswer, type JudgeSpending, totalSpending } from '../domain/judge-result.ts';
import type { Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { type Turn, turnsOf } from '../domain/turn.ts';
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
 * A trial as evaluators see it; the last turn and the judge are made on first use, because few need them. They are its own
 * properties and not those of a class: a copy of a context with one more field has them too.
 */
export function trialContext(
  { trial, trace, workspace, workspaceFault, isFinal, failures, earlier }: TrialFacts,
  openJudging: () => Judging,
  services: EvaluatorServices,
  signal: AbortSignal,
): EvaluationContext {
  let [judging, turn]: [Judging?, Turn?] = [];
  return {
    trial,
    trace,
    workspace,
    workspaceFault,
    isFinal,
    failures,
    earlier,
    services,
    signal,
    get judging() {
      judging ??= openJudging();
      return judging;
    },
    get turn() {
      turn ??= turnsOf(trace).at(-1);
      return turn;
    },
  };
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
