import type { JudgeResult } from '../../domain/judge-result.ts';
import type { JudgeSubject } from './judge.ts';

/** Why a judge has nothing to decide, or undefined when no gate failed. */
export function failedGatesReason({ failedGates }: Pick<JudgeSubject, 'failedGates'>): string | undefined {
  return failedGates.length === 0 ? undefined : `Failed gates are final: ${failedGates.join('; ')}`;
}

/** The last word on every answer: what a gate has failed, no judge can pass. What the judge said stays readable. */
export function withFinalGates(subject: Pick<JudgeSubject, 'failedGates'>, answer: JudgeResult): JudgeResult {
  const reason = failedGatesReason(subject);
  if (reason === undefined) return answer;
  const { fault: _fault, ...said } = answer;
  const opinion = answer.model === undefined ? '' : ` (the judge said ${answer.state}: ${answer.reason})`;
  return { ...said, state: 'fail', reason: `${reason}${opinion}` };
}
