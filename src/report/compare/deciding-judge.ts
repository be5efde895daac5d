import type { JudgeResult } from '../../domain/judge-result.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { canonicalJson } from '../../shared/json.ts';

/** Stands for trials that several judges decided together: the errors of one of them do not explain these. */
export const severalJudges = 'several judges';

/** The judge that decided how a trial ended, as text; undefined where computed assertions did. */
export function decidingJudge({ judge, outcome, evaluatorResults }: TrialRecord): string | undefined {
  const verdicts = evaluatorResults.filter(
    ({ type, state }) => isJudgeType(type) && (state === 'pass' || state === 'fail'),
  );
  if (verdicts.length === 0 && judge?.state !== outcome) return undefined;
  const isFailedAnyway = evaluatorResults.some(
    ({ type, kind, state }) => kind === 'assertion' && state === 'fail' && !isJudgeType(type),
  );
  if (isFailedAnyway) return undefined;
  if (verdicts.length > 1) return severalJudges;
  return judge ? judgeKey(judge) : undefined;
}

/** All that makes a judge the judge that was calibrated. */
export function judgeKey({
  mode,
  model,
  promptVersion,
  rubricHash,
}:
  | Pick<JudgeResult, 'mode' | 'model' | 'promptVersion' | 'rubricHash'>
  | Record<'mode' | 'model' | 'promptVersion' | 'rubricHash', string>): string {
  return canonicalJson({ mode, model: model ?? '', promptVersion, rubricHash: rubricHash ?? '' });
}

function isJudgeType(type: string): boolean {
  return type.endsWith('judge') || type === 'groundedness';
}
