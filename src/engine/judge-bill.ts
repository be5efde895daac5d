import { type JudgeSpending, totalSpending } from '../domain/judge-spending.ts';
import type { Judging } from '../score/judge/judging.ts';

/** What all questions of a trial to the judge took, whichever evaluator asked them and whatever became of the answers. */
export class JudgeBill {
  readonly #answers: JudgeSpending[] = [];

  /** The judge of the run, whose answers to this trial are noted here. */
  noting(judging: Judging): Judging {
    return {
      ask: async (...question) => {
        const answer = await judging.ask(...question);
        if (answer.model !== undefined && !answer.isCached) this.#answers.push(answer);
        return answer;
      },
      errorsIn: (choice) => judging.errorsIn(choice),
    };
  }

  /** Undefined where no model was asked. */
  total(): JudgeSpending | undefined {
    return this.#answers.length === 0 ? undefined : totalSpending(this.#answers);
  }
}
