import type { JudgeOutput } from '../../domain/judge-protocol.ts';

interface ProtocolCriteria {
  readonly passCriteria: readonly string[];
  readonly failCriteria: readonly string[];
}

/** Why a model's output is no answer to the criteria it was asked about: other criteria, or counts that do not add up. */
export function protocolProblem(asked: ProtocolCriteria, output: JudgeOutput): string | undefined {
  const { passCriteriaEvaluation: pass, failCriteriaEvaluation: fail, summary, verdict } = output;
  const passed = pass.details.filter(({ result }) => result).length;
  const triggered = fail.details.filter((detail) => detail.triggered).length;
  const isPass = passed === asked.passCriteria.length && triggered === 0;
  const checks: readonly (readonly [boolean, string])[] = [
    [repeats(asked.passCriteria, pass.details), 'passCriteriaEvaluation must answer every pass criterion, in order'],
    [repeats(asked.failCriteria, fail.details), 'failCriteriaEvaluation must answer every fail criterion, in order'],
    [pass.total === pass.details.length && pass.passed === passed, 'the counts of passCriteriaEvaluation are wrong'],
    [pass.failed === pass.details.length - passed, 'the counts of passCriteriaEvaluation are wrong'],
    [
      fail.total === fail.details.length && fail.triggered === triggered,
      'the counts of failCriteriaEvaluation are wrong',
    ],
    [fail.avoided === fail.details.length - triggered, 'the counts of failCriteriaEvaluation are wrong'],
    [verdict === (isPass ? 'PASS' : 'FAIL'), 'the verdict does not follow from the answers'],
    [summary.verdict === verdict, 'the two verdicts differ'],
  ];
  return checks.find(([holds]) => !holds)?.[1];
}

function repeats(criteria: readonly string[], details: readonly { readonly criterion: string }[]): boolean {
  return criteria.length === details.length && criteria.every((text, index) => details[index]?.criterion === text);
}
