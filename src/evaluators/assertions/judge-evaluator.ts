import type * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Judge, JudgeMode, JudgeSubject } from '../../judge/judge.ts';
import type { JudgeErrors } from '../../judge/judging.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Answer, defineEvaluator, type EvaluationContext, type Evaluator } from '../evaluator.ts';

interface JudgeEvaluator {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  readonly configSchema: z.ZodType;
  /** The mode with its prompts, which most runs never need. */
  loadMode(): Promise<JudgeMode>;
}

/** A mode of the judge as an assertion. */
export function judgeEvaluator({ loadMode, ...described }: JudgeEvaluator): Evaluator {
  return defineEvaluator({
    ...described,
    kind: 'assertion',
    needs: ['judge'],
    prepare(config) {
      const rubricHash = sha256(canonicalJson(config));
      let preparing: Promise<Judge> | undefined;
      return async ({ trial, judging, failures, trace, signal }) => {
        preparing ??= prepareMode(loadMode, config);
        const subject = subjectOf(trial, trace, failures);
        const result = await judging.ask(await preparing, subject, trial.scenario.judge, signal);
        return answerOf({ ...result, rubricHash }, judging.errorsIn(trial.scenario.judge));
      };
    },
  });
}

async function prepareMode(loadMode: JudgeEvaluator['loadMode'], config: unknown): Promise<Judge> {
  const { prepareJudge } = await import('../../judge/prepare-judge.ts');
  return prepareJudge(await loadMode(), config);
}

function subjectOf(
  { scenario, case: testCase, variant }: Trial,
  trace: EvaluationContext['trace'],
  failures: readonly string[],
): JudgeSubject {
  return {
    name: scenario.name,
    task: testCase.expectedBehavior ?? taskOf(scenario, testCase, variant),
    trace,
    expected: testCase.expected,
    failedGates: failures,
    testedModel: variant.model,
  };
}

/** An agent is judged by the task it was given, a tool by what its scenario is about. */
function taskOf(
  { description, name }: Trial['scenario'],
  { input }: Trial['case'],
  { agent }: Trial['variant'],
): string {
  return agent !== undefined && typeof input === 'string' ? input : description || name;
}

function answerOf(result: JudgeResult, errors: JudgeErrors): Answer<'assertion'> {
  const findings = { judge: result };
  const { state, reason, score } = result;
  if (state === 'skipped') return { state, reason, findings };
  if (state === 'error' && errors === 'ignore')
    return { state: 'skipped', reason: `Left out of account: ${reason}`, findings };
  if (state === 'error' && errors === 'fail') return { state: 'fail', reason, value: 0, findings };
  if (state === 'error') {
    const { code, message, hint } = result.fault ?? {
      code: 'JUDGE_UNDECIDED' as const,
      message: reason,
      hint: undefined,
    };
    return { state, error: new AssayError(code, message, { hint }), findings };
  }
  return { state, reason, value: score ?? (state === 'pass' ? 1 : 0), findings };
}
