import { AssayError } from '../../domain/errors.ts';
import type { JudgeOutput } from '../../domain/judge-protocol.ts';
import { faultOf } from '../../domain/outcome.ts';
import { counted } from '../../shared/format.ts';
import type { Judgement } from '../criteria/judge-protocol.ts';
import type { JudgeConclusion } from './judge.ts';

/** A criterion on which a model and the computation differ. */
export interface Disagreement {
  readonly list: 'pass' | 'fail';
  readonly criterion: string;
  readonly computed: boolean;
  readonly answered: boolean;
  readonly explanation: string;
}

/** The computed verdict, with the model's output and every disagreement beside it. */
export function concludeProtocol({ output: computed, unusable }: Judgement, answered: JudgeOutput): JudgeConclusion {
  const disagreements = findDisagreements(computed, answered);
  const response = { output: answered, computed, disagreements };
  const warnings = disagreements.map(
    ({ criterion, computed: was, answered: said }) => `The judge says ${said} where ${was} is computed: ${criterion}`,
  );
  const [defect] = unusable;
  if (defect) {
    const message = `${defect.criterion}: ${defect.message} (column ${defect.column})`;
    const fault = faultOf(new AssayError('CRITERION_UNUSABLE', message, { hint: defect.hint }));
    return { state: 'error', reason: message, fault, response, warnings };
  }
  const differing =
    disagreements.length === 0
      ? ''
      : `; the judge disagrees on ${counted(disagreements.length, 'criterion', 'criteria')}`;
  const isPass = computed.verdict === 'PASS';
  return {
    state: isPass ? 'pass' : 'fail',
    score: isPass ? 1 : 0,
    reason: `${computed.summary.reason}${differing}`,
    response,
    warnings,
  };
}

/** Every criterion that a model answered differently; both outputs must be about the same lists. */
export function findDisagreements(computed: JudgeOutput, answered: JudgeOutput): Disagreement[] {
  const passes = computed.passCriteriaEvaluation.details.map((detail, index) => ({
    list: 'pass' as const,
    criterion: detail.criterion,
    computed: detail.result,
    answer: answered.passCriteriaEvaluation.details[index],
  }));
  const fails = computed.failCriteriaEvaluation.details.map((detail, index) => {
    const answer = answered.failCriteriaEvaluation.details[index];
    return {
      list: 'fail' as const,
      criterion: detail.criterion,
      computed: detail.triggered,
      answer: answer && { ...answer, result: answer.triggered },
    };
  });
  return [...passes, ...fails].flatMap(({ answer, ...criterion }) =>
    answer === undefined || answer.result === criterion.computed
      ? []
      : [{ ...criterion, answered: answer.result, explanation: answer.explanation }],
  );
}
