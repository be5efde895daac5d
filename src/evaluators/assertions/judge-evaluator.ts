import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { Trial } from '../../domain/trial.ts';
import type { JudgeMode, JudgeSubject } from '../../judge/judge.ts';
import { prepareJudge } from '../../judge/prepare-judge.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Answer, defineEvaluator, type EvaluationContext, type Evaluator } from '../evaluator.ts';

/** A mode of the judge as an assertion. */
export function judgeEvaluator(type: string, label: string, mode: JudgeMode): Evaluator {
  return defineEvaluator({
    type,
    label,
    kind: 'assertion',
    summary: mode.summary,
    needs: ['judge'],
    configSchema: mode.configSchema,
    prepare(config) {
      const judge = prepareJudge(mode, config);
      const rubricHash = sha256(canonicalJson(config));
      return async ({ trial, judging, failures, trace, signal }) => {
        const subject = subjectOf(trial, trace, failures);
        return answerOf({ ...(await judging.ask(judge, subject, trial.scenario.judge, signal)), rubricHash });
      };
    },
  });
}

function subjectOf(
  { scenario, case: testCase }: Trial,
  trace: EvaluationContext['trace'],
  failures: readonly string[],
): JudgeSubject {
  return {
    name: scenario.name,
    task: testCase.expectedBehavior ?? (scenario.description || scenario.name),
    trace,
    expected: testCase.expected,
    failedGates: failures,
  };
}

function answerOf(result: JudgeResult): Answer<'assertion'> {
  const findings = { judge: result };
  const { state, reason, score } = result;
  if (state === 'skipped') return { state, reason, findings };
  if (state === 'error') {
    const { code, message, hint } = result.fault ?? {
      code: 'JUDGE_UNREADABLE' as const,
      message: reason,
      hint: undefined,
    };
    return { state, error: new AssayError(code, message, { hint }), findings };
  }
  return { state, reason, value: score ?? (state === 'pass' ? 1 : 0), findings };
}
